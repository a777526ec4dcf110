package arena

import (
	"reflect"
	"strings"
	"testing"

	"dojo.example/engine/onitama"
)

// Count groups the problems by the number of plies to the win, and counts the wins that the player
// threw away.
func TestTally(t *testing.T) {
	text := `{"pos":"w..../...../...bB/...../..W.. 1 9,11 15,14 2","moves":{"15 D3D4":"L6","15 E3E4":"L6","15 D3D1":"L6","15 E3E1":"L2","14 D3E2":"L16","14 D3D4":"L10","14 E3E4":"L8","14 D3C2":"D","14 E3D2":"L2"}}
{"pos":"w..../...../...bB/...../..W.. 1 9,11 15,14 2","moves":{"15 D3D4":"W5","15 E3E4":"W","15 D3D1":"W3","15 E3E1":"L2","14 D3E2":"L16","14 D3D4":"L10","14 E3E4":"L8","14 D3C2":"D","14 E3D2":"L2"}}
{"pos":"w..../...../....B/...../..W.. 1 9,11 15,14 2","moves":{"15 E3E4":"W","15 E3E1":"D","14 E3E4":"W","14 E3D2":"L"}}
`
	problems, skipped, err := ReadProblems(t.Context(), onitama.Classic.Game(), "solved.jsonl", strings.NewReader(text))
	if err != nil || skipped != 0 {
		t.Fatal(skipped, err)
	}
	kept := []bool{true, false, true}
	total, byPlies := Count(problems, kept)
	if want := (Tally{3, 2, 2. / 3, 2, 1}); total != want {
		t.Errorf("in total %+v, want %+v", total, want)
	}
	want := []PliesTally{{"3-4", Tally{1, 0, 0, 1, 1}}, {"?", Tally{1, 1, 1, 1, 0}}, {"draw", Tally{1, 1, 1, 0, 0}}}
	if !reflect.DeepEqual(byPlies, want) {
		t.Errorf("by plies %+v, want %+v", byPlies, want)
	}
}
