package hub

import (
	"fmt"
	"slices"
	"testing"

	"dojo.example/cluster/wire"
)

// sendAll sends results of the given size from many workers, a piece from each worker in turn. It
// returns the number of results that have arrived after the given number of rounds.
func sendAll(u *uploads, workers, size, rounds int) (arrived int) {
	content := make([]byte, size)
	have := make([]int, workers)
	for range rounds {
		for i := range have {
			if have[i] == size {
				continue
			}
			r := wire.Result{Worker: fmt.Sprint("worker ", i), Lot: "lot", Size: size, From: have[i]}
			var whole []byte
			whole, have[i] = u.add(r, content[have[i]:min(have[i]+wire.PieceSize, size)])
			if whole != nil {
				arrived++
			}
		}
	}
	return arrived
}

// checkSize checks that the number of bytes in u is right and within the limit.
func checkSize(t *testing.T, u *uploads) {
	t.Helper()
	sum := 0
	for _, x := range u.all {
		sum += len(x.content)
	}
	if sum != u.size || sum > maxUploads {
		t.Fatalf("the hub keeps %d bytes and counts %d; at most %d are allowed", sum, u.size, maxUploads)
	}
}

// The hub keeps at most maxUploads bytes, however many workers send parts of large results. If
// honest workers send more than that at the same time, all of their results arrive in the end.
func TestUploadsAreBounded(t *testing.T) {
	var u uploads
	for i := range 1000 { // workers that never send the last piece
		for from := 0; from < 8*wire.PieceSize; from += wire.PieceSize {
			r := wire.Result{Worker: fmt.Sprint("hostile ", i), Lot: "lot", Size: wire.MaxResult, From: from}
			u.add(r, make([]byte, wire.PieceSize))
		}
	}
	checkSize(t, &u)
	if len(u.all) > maxUploads/wire.PieceSize {
		t.Errorf("the hub keeps the results of %d workers", len(u.all))
	}
	const workers = 100
	if n := sendAll(&u, workers, 20*wire.PieceSize, 2000); n != workers {
		t.Errorf("%d of %d large results arrived", n, workers)
	}
	checkSize(t, &u)
	u.end("another lot")
	if len(u.all) == 0 {
		t.Error("the end of another lot dropped all pieces")
	}
	if u.end("lot"); u.size != 0 || len(u.all) != 0 {
		t.Errorf("after the end of the lot, the hub still keeps %d bytes", u.size)
	}
}

// The pieces of a result can arrive in any order and any number of times. The result is complete
// exactly once.
func TestUploadInAnyOrder(t *testing.T) {
	var u uploads
	const size = 3*wire.PieceSize + 5
	content := make([]byte, size)
	for i := range content {
		content[i] = byte(i % 251)
	}
	complete := 0
	for range 4 { // each round completes at least one more piece
		for _, n := range []int{3, 2, 2, 1, 0, 0} {
			from := n * wire.PieceSize
			whole, have := u.add(wire.Result{Worker: "w", Size: size, From: from}, content[from:min(from+wire.PieceSize, size)])
			if whole != nil {
				if complete++; !slices.Equal(whole, content) || have != size {
					t.Errorf("the result differs, and the hub says %d bytes", have)
				}
			}
		}
	}
	if complete != 1 {
		t.Errorf("the result was complete %d times", complete)
	}
}
