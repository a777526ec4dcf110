package cluster

import (
	"testing"
	"time"
)

// A local task that comes while this process works on another lot is not lost when that work
// ends.
func TestLocalTaskOfAnotherLot(t *testing.T) {
	q := newQueue(nil, nil)
	first, second := lot{Kind: "first"}, lot{Kind: "second"}
	q.addLocal(task{lot: first, Number: 1})
	q.addLocal(task{lot: second, Number: 2})
	for _, want := range []task{{lot: first, Number: 1}, {lot: second, Number: 2}} {
		if l, ok, err := q.begin(t.Context(), time.Second); l != want.lot || !ok || err != nil {
			t.Fatalf("the lot is %v, %v, %v, want %v", l, ok, err, want.lot)
		}
		if number, ok := q.next(t.Context()); number != want.Number || !ok {
			t.Fatalf("the task is %d, %v, want %d", number, ok, want.Number)
		}
		q.done(want.Number)
		if want.lot == first {
			if number, ok := q.next(t.Context()); ok {
				t.Fatalf("task %d of another lot was handed out", number)
			}
		}
		q.giveBack()
	}
	if q.hasLocal() {
		t.Error("tasks that were done are left")
	}
}
