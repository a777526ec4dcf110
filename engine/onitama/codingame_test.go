package onitama

import (
	"bytes"
	"encoding/csv"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/internal/slow"
)

// game is a recorded game: the lines that each player read and wrote, and the final scores.
type game struct {
	ID     int
	Scores [2]int
	Turns  []struct {
		Player int
		In     []string
		Out    string
	}
}

// The test replays recorded games. InputBlock must return the text that the player read, the
// answers that the referee accepted must be legal, and the last answer must decide the game.
func TestTranscripts(t *testing.T) {
	games := enginetest.Vectors[game](t, "codingame-transcripts.jsonl.gz")
	turns, passes, invalid := 0, 0, 0
	for _, g := range games {
		s := parse(t, strings.Join(g.Turns[0].In, "\n"))
		for i, turn := range g.Turns {
			block := turn.In
			if i < 2 { // in each player's first turn, the first line is the player's id
				block = block[1:]
			}
			if got, want := s.InputBlock(), strings.Join(block, "\n")+"\n"; got != want {
				t.Fatalf("game %d turn %d: our block is\n%swant\n%s", g.ID, i, got, want)
			}
			seen := parse(t, strconv.Itoa(turn.Player)+"\n"+strings.Join(block, "\n"))
			if seen.plies = s.plies; seen != s {
				t.Fatalf("game %d turn %d: the block is read as %s, want %s", g.ID, i, seen, s)
			}
			turns++
			a, ok := judge(s, turn.Out)
			if !ok { // the referee rejects the answer, so the player loses (rule 7)
				invalid++
				if i != len(g.Turns)-1 || g.Scores[turn.Player] != 0 || g.Scores[1-turn.Player] != 1 {
					t.Errorf("game %d turn %d: %q is invalid here, the scores are %v", g.ID, i, turn.Out, g.Scores)
				}
				break
			}
			if strings.Contains(turn.Out, "PASS") {
				passes++
			}
			if s = s.Play(a); i == len(g.Turns)-1 && s.Outcome() != scored(g.Scores) {
				t.Errorf("game %d ends as %v in %s, the scores are %v", g.ID, s.Outcome(), s, g.Scores)
			}
		}
	}
	if len(games) != 109 || turns < 3000 || passes == 0 || invalid != 7 {
		t.Errorf("%d games, %d turns, %d passes, %d invalid answers were seen", len(games), turns, passes, invalid)
	}
}

func scored(scores [2]int) engine.Outcome {
	return map[[2]int]engine.Outcome{{1, 0}: engine.FirstWins, {0, 1}: engine.SecondWins, {0, 0}: engine.Draw}[scores]
}

// judge returns the action in a player's answer. ok is false if the referee does not accept the
// answer.
func judge(s State, line string) (engine.Action, bool) {
	name, err := answer(line)
	if err != nil {
		return 0, false
	}
	a, err := engine.ParseAction(engine.Forget(s), name)
	return a, err == nil
}

// TestJudge covers the cases of rule 7 that occur in no recorded game.
func TestJudge(t *testing.T) {
	s := opening([handSize]card{8, 6, 0, 12, 9})
	for _, c := range []struct {
		line string
		ok   bool
	}{
		{"6 C1C2", true}, {"6 c1c2", true}, {"6\tC1C2", true}, {"6 C1C2 to you", true}, {"6 C1C2  ", true},
		{"6 C1C2 ", false}, {"9 C1C2", false}, {"6 C1B2", false}, {"6 A1A1", false}, {"6 PASS", false}, {"hello", false}, {"", false},
	} {
		if a, ok := judge(s, c.line); ok != c.ok {
			t.Errorf("%q is accepted: %v, want %v (%d)", c.line, ok, c.ok, a)
		}
	}
}

// For the seed of each recorded game, deal returns the cards of that game (rule 3).
func TestDeals(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(enginetest.File(t, "codingame-seeds.csv.gz"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows[1:] {
		seed, err := strconv.ParseInt(r[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want := "bbBbb/...../...../...../wwWww 0 " + r[1] + "," + r[2] + " " + r[3] + "," + r[4] + " " + r[5] + " 0"
		if got := deal(seed).String(); got != want {
			t.Errorf("deal(%d) = %s, want %s", seed, got, want)
		}
	}
	if len(rows) != 1000 {
		t.Errorf("%d rows, want a header and 999 seeds", len(rows))
	}
}

// By rule 3, the referee rejects 162 ways to deal the cards. Deals that differ only in the order of
// the cards within a hand count once.
func TestRefusedLayouts(t *testing.T) {
	t.Parallel()
	slow.Test(t, "searches 41,000 starts")
	refused := 0
	var h [handSize]card
	for i := range cards * cards * cards * cards * cards {
		for j := range h {
			h[j] = card(i % cards)
			i /= cards
		}
		if h[0] < h[1] && h[2] < h[3] && distinct(h) && opening(h).refused() {
			refused++
		}
	}
	if refused != 162 {
		t.Errorf("%d layouts are refused, want 162", refused)
	}
}

func distinct(h [handSize]card) bool {
	var seen uint32
	for _, c := range h {
		seen |= 1 << c
	}
	return bits.OnesCount32(seen) == handSize
}

// The protocol reads every question of a game correctly and counts the turns of both players.
func TestProtocol(t *testing.T) {
	for id := range engine.Second + 1 {
		text, want := dialogue(t, id)
		next, after := Classic.Protocols[0].Questions(strings.NewReader(text)), engine.Position(nil)
		for _, w := range want {
			p, err := next(after)
			if err != nil || p.String() != w {
				t.Fatalf("player %d reads %v, %v; want %s", id, p, err, w)
			}
			after = p.Play(p.Legal(nil)[0])
		}
		if _, err := next(after); err != io.EOF {
			t.Errorf("after the last question: %v, want EOF", err)
		}
	}
}

// dialogue returns the questions that a player reads during a game, as one text, and the positions
// in them.
func dialogue(t *testing.T, id engine.Player) (text string, positions []string) {
	var b strings.Builder
	b.WriteString(strconv.Itoa(int(id)) + "\n")
	s := opening([handSize]card{8, 6, 0, 12, 9})
	for range 12 {
		if s.ToMove() == id {
			b.WriteString(s.InputBlock())
			positions = append(positions, s.String())
		}
		s = s.Play(s.Legal(nil)[0])
		if s.Outcome() != engine.Ongoing {
			t.Fatalf("the game ends in %s", s)
		}
	}
	return b.String(), positions
}

// The error for an invalid question says what is wrong.
func TestProtocolMistakes(t *testing.T) {
	text, _ := dialogue(t, engine.First)
	for _, c := range []struct{ from, to, says string }{
		{text, "", "EOF"},
		{"0\nbb", "2\nbb", "player id"},
		{"0\nbb", "x\nbb", "player id"},
		{text[10:], "", "ends in the middle of a question"},
		{"bbBbb", "bbBb", "row 5"},
		{"0 6 -2 0", "0 99 -2 0", "card"},
		{"0 6 -2 0", "1 6 -2 0", ", want"},
		{"0 6 -2 0", "0 8 -1 0", "twice"},
		{"-1 9 -1 -1", "-1 9 1 1", ", want"},
		{"\n9\n", "\nnine\n", "number of actions"},
		{"\n9\n", "\n8\n", ", want"},
		{"6 C1C2", "6 C1C3", ", want"},
	} {
		bad := strings.Replace(text, c.from, c.to, 1)
		_, err := Classic.Protocols[0].Questions(strings.NewReader(bad))(nil)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q for %q gives %v, want an error with %q", c.to, c.from, err, c.says)
		}
	}
}
