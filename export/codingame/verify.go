package codingame

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"dojo/engine"
	"dojo/engine/onitama"
	"dojo/model"
)

// Report says what Verify has found.
type Report struct {
	Compiler string        `json:"compiler"`
	Turns    int           `json:"turns"`      // turns of the referee's transcripts, all answered legally
	Exact    int           `json:"exact"`      // positions in which the program's outputs have the student's bits
	Slowest  time.Duration `json:"slowest_ns"` // the slowest answer at the budget, while all cores are busy
	Timed    int           `json:"timed"`      // number of answers timed
	Pause    time.Duration `json:"pause_ns"`   // the longest time for which the machine stopped a loop beside the program

	// How far the student's outputs are from those of its checkpoint in floats.
	ValueError Error `json:"value_error"`
	LogitError Error `json:"logit_error"`
}

// Error is the mean and the largest of absolute differences.
type Error struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// transcripts has what CodinGame's referee sent to the players in recorded games,
// among them all in which a player had to pass.
//
//go:embed transcripts.jsonl.gz
var transcripts []byte

// A transcript is one game: the lines that each player was sent, turn by turn.
type transcript struct {
	Turns [2][][]string
}

// readTranscripts unpacks transcripts.
func readTranscripts() ([]transcript, error) {
	z, err := gzip.NewReader(bytes.NewReader(transcripts))
	if err != nil {
		return nil, err
	}
	var list []transcript
	for d := json.NewDecoder(z); ; {
		var t transcript
		if err := d.Decode(&t); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
}

// A Claim is a source and what its program is to compute.
type Claim struct {
	Language   Language
	Source     string
	Student    *Student
	Checkpoint *model.Checkpoint // the student's, in floats
}

// Verify compiles a source in the folder dir as CodinGame would, and runs it. The
// program must answer the referee's transcripts with legal actions, give the student's
// outputs bit for bit, and answer within the deadline while loops keep the other cores
// busy. It returns the path of the program.
func Verify(ctx context.Context, claim Claim, dir string) (r Report, program string, err error) {
	s, c := claim.Student, claim.Checkpoint
	if program, r.Compiler, err = Compile(ctx, claim.Language, claim.Source, dir); err != nil {
		return r, "", err
	}
	games, err := readTranscripts()
	if err != nil {
		return r, "", err
	}
	if r.Turns, err = replay(ctx, program, games); err != nil {
		return r, "", fmt.Errorf("the referee's transcripts: %w", err)
	}
	positions, err := Sample(c, 500, 2)
	if err != nil {
		return r, "", err
	}
	if r.Exact, err = exact(ctx, program, s, positions); err != nil {
		return r, "", err
	}
	if r.ValueError, r.LogitError, err = s.errors(ctx, c, positions); err != nil {
		return r, "", err
	}
	seen, err := inTime(ctx, func() (timing, error) { return timed(ctx, program, games) })
	r.Timed, r.Slowest, r.Pause = seen.answers, seen.slowest, seen.pause
	if err != nil {
		return r, "", err
	}
	return r, program, nil
}

// text is the input of a turn as the bot reads it.
func text(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// replay sends all transcripts to the program and checks that its answers are among
// the actions offered. It returns the number of turns.
func replay(ctx context.Context, program string, games []transcript) (turns int, err error) {
	for i, g := range games {
		for player, inputs := range g.Turns {
			bot, err := converse(ctx, program, "32")
			if err != nil {
				return turns, err
			}
			for _, in := range inputs {
				answer, _, err := bot.ask(text(in))
				if err != nil {
					return turns, errors.Join(fmt.Errorf("game %d, player %d: %w", i, player, err), bot.close())
				}
				if offered := in[len(in)-offers(in):]; !slices.Contains(offered, answer) {
					return turns, errors.Join(fmt.Errorf("game %d, player %d: the answer %q is none of %q", i, player, answer, offered), bot.close())
				}
				turns++
			}
			if err := bot.close(); err != nil {
				return turns, fmt.Errorf("game %d, player %d: %w", i, player, err)
			}
		}
	}
	return turns, nil
}

// offers is the number of actions that an input offers: they are its last lines, after
// a line with their number.
func offers(in []string) int {
	for n := 1; n < len(in); n++ {
		if in[len(in)-1-n] == strconv.Itoa(n) {
			return n
		}
	}
	return 0
}

// exact checks that the program's outputs in the positions are the student's. It
// returns the number of positions.
func exact(ctx context.Context, program string, s *Student, positions []onitama.SparseState) (n int, err error) {
	planes := make([]float32, onitama.Sparse.Planes.C)
	logits := make([]int32, len(s.BP))
	for player := range 2 {
		bot, err := converse(ctx, program, "eval")
		if err != nil {
			return n, err
		}
		first := true
		for _, p := range positions {
			if int(p.ToMove()) != player {
				continue
			}
			answer, _, err := bot.ask(onitama.Sparse.Protocols[0].Ask(engine.Forget(p), first))
			if err != nil {
				return n, errors.Join(err, bot.close())
			}
			first = false
			p.Encode(planes)
			want := []string{strconv.Itoa(int(s.Sums(planes, logits)))}
			for _, a := range p.Legal(nil) {
				want = append(want, strconv.Itoa(int(logits[a])))
			}
			if answer != strings.Join(want, " ") {
				return n, errors.Join(fmt.Errorf("in %q the program says %q, the student %q", p, answer, want), bot.close())
			}
			n++
		}
		if err := bot.close(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// errors compares the student's outputs with those of its checkpoint in floats.
func (s *Student) errors(ctx context.Context, c *model.Checkpoint, positions []onitama.SparseState) (value, logit Error, err error) {
	evaluate := func(e model.Evaluator) (*model.Batch, error) {
		b := model.NewBatch(onitama.Sparse.Spec, len(positions))
		b.N = len(positions)
		for i, p := range positions {
			p.Encode(b.Planes[i*onitama.Sparse.Planes.C : (i+1)*onitama.Sparse.Planes.C])
		}
		return b, e.Evaluate(ctx, b)
	}
	a, err := evaluate(s)
	if err != nil {
		return value, logit, err
	}
	b, err := evaluate(model.NewNet(c))
	if err != nil {
		return value, logit, err
	}
	logits := 0
	for i, p := range positions {
		value.add(a.Values[i] - b.Values[i])
		for _, act := range p.Legal(nil) {
			at := i*onitama.Sparse.Actions + int(act)
			logit.add(a.Logits[at] - b.Logits[at])
			logits++
		}
	}
	value.Mean /= float64(len(positions))
	logit.Mean /= float64(logits)
	return value, logit, nil
}

// add adds a difference. Mean is the sum of them until the caller divides it.
func (e *Error) add(d float32) {
	x := math.Abs(float64(d))
	e.Mean += x
	e.Max = max(e.Max, x)
}
