package hub_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	cluster "dojo.example/cluster/hub"
	"dojo.example/cluster/wire"
	"dojo.example/cluster/worker"
	"dojo.example/data/rundir"

	"github.com/nats-io/nats.go"
)

// A sender sends pieces of the result of a task by hand.
type sender struct {
	t             *testing.T
	line          *nats.Conn
	run, lot      string
	number        int
	content, hash string
}

// message returns the message with a piece. change may change the header before it is signed.
func (s *sender) message(from int, change func(*wire.Result)) *nats.Msg {
	piece := s.content[from:min(from+wire.PieceSize, len(s.content))]
	r := wire.Result{Worker: stranger, Lot: s.lot, Number: s.number, Hash: s.hash, Size: len(s.content), From: from, Sum: rundir.TextHash([]byte(piece))}
	if change != nil {
		change(&r)
	}
	r.Sign(strangers)
	return &nats.Msg{Subject: ResultSubject(s.run, stranger), Header: nats.Header{wire.ResultHeader: {string(wire.JSON(r))}}, Data: []byte(piece)}
}

// publish sends a message without waiting for an answer.
func (s *sender) publish(m *nats.Msg) {
	s.t.Helper()
	if err := s.line.PublishMsg(m); err != nil {
		s.t.Fatal(err)
	}
}

// send sends a piece, and checks how many bytes the hub then has.
func (s *sender) send(from, have int) {
	s.t.Helper()
	answer, err := s.line.RequestMsg(s.message(from, nil), patience)
	if err != nil {
		s.t.Fatal(err)
	}
	var now wire.State
	if err := json.Unmarshal(answer.Data, &now); err != nil || now != (wire.State{Have: have}) {
		s.t.Errorf("after the piece from %d the hub answers %+v, %v; want %d bytes", from, now, err, have)
	}
}

// Only the piece that follows the bytes that have arrived changes what the hub has of a result. It
// accepts the result with its last piece.
func TestPieces(t *testing.T) {
	t.Parallel()
	const piece = wire.PieceSize
	want := wantLarge(t)
	opt, config := newLargeRun(t)
	hub := resume(t, &opt, config, "")
	line := connect(t, hub, strangers, "")
	proof, err := worker.Proof(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	entry := hello(t, line, proof)
	begin, ended := make(chan struct{}), make(chan error, 1)
	waitFirst(&opt, begin)
	go func() { ended <- finish(t, hub, opt) }()
	lot := cluster.FirstLot(config, opt.Name, opt.ProgramVersion)
	number := -1
	waitFor(t, "a task", func() bool {
		n, ok, err := AskForTask(line, entry.Run, stranger, lot)
		if err != nil {
			t.Fatal(err)
		}
		number = n
		return ok
	})
	shard := want[fmt.Sprintf("samples/gen-000000/shard-%06d.parquet", number)]
	s := &sender{t, line, entry.Run, lot, number, shard, rundir.TextHash([]byte(shard))}
	other := *s // the same task with another result
	other.content = strings.Repeat("x", 3*piece)
	other.hash = rundir.TextHash([]byte(other.content))

	s.send(piece, 0) // the first piece is missing
	s.send(0, piece)
	s.send(0, piece)       // a copy
	s.send(5*piece, piece) // too early
	other.send(piece, 0)   // a piece of another result that does not begin
	if n := hub.Uploaded(); n != piece {
		t.Errorf("the hub has %d bytes, want one piece", n)
	}
	damaged := s.message(piece, nil)
	damaged.Data[100] ^= 1
	s.publish(damaged)
	foreign := s.message(piece, nil)
	foreign.Header[wire.ResultHeader] = []string{strings.Replace(foreign.Header.Get(wire.ResultHeader), `"signature":"`, `"signature":"A`, 1)}
	s.publish(foreign)
	notGiven := s.message(piece, func(r *wire.Result) { r.Number = 600 })
	s.publish(notGiven)
	s.publish(s.message(piece, func(r *wire.Result) { r.Size = wire.MaxResult + 1 }))
	s.publish(s.message(piece, func(r *wire.Result) { r.Size = -1 }))
	s.publish(s.message(piece, func(r *wire.Result) { r.From = piece + 1 }))
	s.publish(s.message(piece, func(r *wire.Result) { r.From = 1 << 40 }))
	last := len(shard) / piece * piece
	s.publish(s.message(last, func(r *wire.Result) { r.From = piece })) // too short
	s.send(5*piece, piece)
	if n := hub.Uploaded(); n != piece {
		t.Errorf("the hub has %d bytes, want one piece", n)
	}

	wrong := other
	wrong.hash = strings.Repeat("0", 64)
	wrong.send(0, piece) // another result of the worker replaces the first one
	s.send(piece, 0)
	for from := 0; from < len(shard); from += piece {
		s.send(from, min(from+piece, len(shard)))
	}
	waitFor(t, "the result", func() bool { return hub.Accepted() == 1 })
	s.send(last, len(shard)) // copies, after the hub has stored the result
	s.send(0, len(shard))
	if n := hub.Uploaded(); n != 0 {
		t.Errorf("the hub keeps %d bytes of a result that is complete", n)
	}
	close(begin)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	compareLarge(t, opt)
	if all := hub.Refused(); len(all) > 0 {
		t.Errorf("%q are banned", all)
	}
}

// The hub bans a worker that sends pieces that an unchanged dojo never sends: pieces of a wrong
// size, and pieces that together do not have the hash of the result.
func TestWrongPieces(t *testing.T) {
	t.Parallel()
	const piece = wire.PieceSize
	s := startNATS(t)
	opt, config, err := newRun(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	log := newTranscript()
	hub := joinOver(t, s, &opt, config, slog.New(log))
	line, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer line.Close()
	proof, err := worker.Proof(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	entry := hello(t, line, proof)
	begin, ended := make(chan struct{}), make(chan error, 1)
	waitFirst(&opt, begin)
	go func() { ended <- finish(t, hub, opt) }()
	lot := cluster.FirstLot(config, opt.Name, opt.ProgramVersion)
	var mine []int
	waitFor(t, "two tasks", func() bool {
		n, ok, err := AskForTask(line, entry.Run, stranger, lot, mine...)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			mine = append(mine, n)
		}
		return len(mine) == 2
	})
	x := &sender{t, line, entry.Run, lot, mine[0], strings.Repeat("x", piece+1), strings.Repeat("0", 64)}
	x.send(0, piece)
	x.send(piece, piece+1)
	<-log.heard("ignored an invalid result")
	x.number = mine[1]
	for range 15 {
		x.publish(x.message(0, func(r *wire.Result) { r.Size = wire.MaxResult + 1 }))
	}
	<-log.heard("banned a worker that sent too many invalid messages")
	answer, err := line.RequestMsg(x.message(0, nil), patience)
	if err != nil || !strings.Contains(string(answer.Data), `"cut_off":"`+stranger) {
		t.Errorf("a banned worker that sends a piece is answered %+v, %v", answer, err)
	}
	close(begin)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	compare(t, string(opt.Folder))
}
