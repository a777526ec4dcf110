package hub

import (
	"bytes"
	"fmt"
	"sync"

	"dojo.example/cluster/wire"
)

// maxUploads is the largest number of bytes that the hub keeps of results that have arrived in part.
const maxUploads = 64 << 20

// uploads holds the results that have arrived in part, one for each worker. If they become too
// large, uploads drops some, and their workers send them again. It drops any of them instead of the
// oldest ones: if many workers send large results at the same time, some of these always arrive.
type uploads struct {
	mu   sync.Mutex
	all  map[string]upload // by the name of the worker; guarded by mu
	size int               // number of bytes in all; guarded by mu
}

// An upload is the beginning of a result.
type upload struct {
	result  wire.Result // without the fields that differ between the pieces
	content []byte
}

// addPiece stores a piece of the result of a task that the worker was given. have is the number of
// bytes of the result that the hub has, or r.Size if the hub needs no more of it. content is the
// whole result if the hub has just received its last piece, and otherwise nil. The error says that
// an unchanged dojo never sends such a piece.
func (d *dispatch) addPiece(r wire.Result, piece []byte) (content []byte, have int, err error) {
	switch {
	case r.Size <= wire.PieceSize || r.Size > wire.MaxResult:
		return nil, 0, fmt.Errorf("it has %d bytes, but a result in pieces has more than %d and at most %d", r.Size, wire.PieceSize, wire.MaxResult)
	case r.From < 0 || r.From >= r.Size || r.From%wire.PieceSize != 0 || len(piece) != min(wire.PieceSize, r.Size-r.From):
		return nil, 0, fmt.Errorf("its piece from byte %d has %d bytes", r.From, len(piece))
	case !d.leases.awaits(r.Number, r.Worker):
		return nil, r.Size, nil
	}
	content, have = d.hub.uploads.add(r, piece)
	return content, have, nil
}

// add stores a piece, and returns how many bytes of its result have arrived. If this was the last
// piece, add returns the whole result and forgets it. A piece that does not follow the bytes that
// have arrived changes nothing.
func (u *uploads) add(r wire.Result, piece []byte) (content []byte, have int) {
	from := r.From
	r.From, r.Sum, r.Signature = 0, "", nil
	u.mu.Lock()
	defer u.mu.Unlock()
	x := u.all[r.Worker]
	if isNew := !bytes.Equal(wire.JSON(x.result), wire.JSON(r)); isNew && from > 0 {
		return nil, 0
	} else if isNew {
		u.drop(r.Worker)
		x = upload{result: r}
	}
	if from != len(x.content) {
		return nil, len(x.content)
	}
	u.drop(r.Worker)
	x.content = append(x.content, piece...)
	if len(x.content) == r.Size {
		return x.content, r.Size
	}
	for other := range u.all {
		if u.size+len(x.content) <= maxUploads {
			break
		}
		u.drop(other)
	}
	if u.all == nil {
		u.all = map[string]upload{}
	}
	u.all[r.Worker] = x
	u.size += len(x.content)
	return nil, len(x.content)
}

// drop forgets what has arrived of a worker's result. The caller holds u.mu.
func (u *uploads) drop(worker string) {
	u.size -= len(u.all[worker].content)
	delete(u.all, worker)
}

// end forgets what has arrived of the results of the lot (the batch of tasks) with the given id.
func (u *uploads) end(lot string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for worker, x := range u.all {
		if x.result.Lot == lot {
			u.drop(worker)
		}
	}
}

// wasGiven reports whether the given worker was given a task, or a copy of it.
func (l *leases) wasGiven(number int, who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	x, ok := l.all[number][who]
	return ok && !x.stray
}

// awaits reports whether the hub has not received the whole result of a task from the given worker.
func (l *leases) awaits(number int, who string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	x := l.all[number][who]
	return !x.sent && !x.over
}
