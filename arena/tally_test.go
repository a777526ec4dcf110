package arena

import (
	"reflect"
	"strings"
	"testing"

	"dojo.example/engine/onitama"
)

// Count groups the problems by the number of plies to the win, or by their value if that number is
// unknown, and counts the wins that the player threw away.
func TestTally(t *testing.T) {
	text := `{"pos":"w..../...../...bB/...../..W.. 1 9,11 15,14 2","moves":{"15 D3D4":"L6","15 E3E4":"L6","15 D3D1":"L6","15 E3E1":"L2","14 D3E2":"L16","14 D3D4":"L10","14 E3E4":"L8","14 D3C2":"D","14 E3D2":"L2"}}
{"pos":"w..../...../...bB/...../..W.. 1 9,11 15,14 2","moves":{"15 D3D4":"W5","15 E3E4":"W","15 D3D1":"W3","15 E3E1":"L2","14 D3E2":"L16","14 D3D4":"L10","14 E3E4":"L8","14 D3C2":"D","14 E3D2":"L2"}}
{"pos":"w..../...../....B/...../..W.. 1 9,11 15,14 2","moves":{"15 E3E4":"W","15 E3E1":"D","14 E3E4":"W","14 E3D2":"L"}}
`
	set, err := ReadProblems(t.Context(), onitama.Classic.Game(), "solved.jsonl", strings.NewReader(text), nil)
	if err != nil || set.Skipped() != 0 {
		t.Fatal(set.Skipped(), err)
	}
	problems := set.Problems
	kept := []bool{true, false, true}
	total, byPlies := Count(problems, kept)
	if want := (Tally{3, 2, 2. / 3, 2, 1}); total != want {
		t.Errorf("in total %+v, want %+v", total, want)
	}
	want := []PliesTally{{"3-4", Tally{1, 0, 0, 1, 1}}, {"won", Tally{1, 1, 1, 1, 0}}, {"draw", Tally{1, 1, 1, 0, 0}}}
	if !reflect.DeepEqual(byPlies, want) {
		t.Errorf("by plies %+v, want %+v", byPlies, want)
	}
	for value, want := range map[byte]string{'W': "won", 'H': "won or draw", 'D': "draw", 'L': "lost"} {
		if _, got := Count([]Problem{{Value: value}}, []bool{true}); len(got) != 1 || got[0].Plies != want {
			t.Errorf("a problem of value %c without a number of plies counts as %+v, want %q", value, got, want)
		}
	}
}
