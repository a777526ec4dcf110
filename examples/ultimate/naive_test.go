package ultimate

import (
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
)

func TestAgainstNaiveRules(t *testing.T) { enginetest.Against(t, Rules, naive) }

var compass = [3][3]string{{"nw", "n", "ne"}, {"w", "c", "e"}, {"sw", "s", "se"}}

// naive describes a position from its text. It follows the written rules.
func naive(position string) (n enginetest.Naive, err error) {
	fields := strings.Fields(position)
	rows := strings.Split(fields[0], "/")
	stone, next := "x", "second"
	if fields[1] == "second" {
		n.ToMove, stone, next = engine.Second, "o", "first"
	}
	big := bigBoard(rows)
	switch count := strings.Join(big, ""); {
	case hasLine(big, "x"):
		n.Outcome = engine.FirstWins
		return n, nil
	case hasLine(big, "o"):
		n.Outcome = engine.SecondWins
		return n, nil
	case !strings.Contains(count, "."):
		n.Outcome = engine.OutcomeOf(strings.Count(count, "x") - strings.Count(count, "o"))
		return n, nil
	}
	n.After = map[string]string{}
	for y := range 9 {
		for x := range 9 {
			if rows[y][x] != '.' || big[y/3][x/3] != '.' || fields[2] != "any" && fields[2] != compass[y/3][x/3] {
				continue
			}
			after := append([]string{}, rows...)
			after[y] = rows[y][:x] + stone + rows[y][x+1:]
			board := compass[y%3][x%3]
			if bigBoard(after)[y%3][x%3] != '.' {
				board = "any"
			}
			name := string(rune('a'+x)) + string(rune('9'-y))
			n.After[name] = strings.Join(after, "/") + " " + next + " " + board
		}
	}
	return n, nil
}

// bigBoard returns the big board as three rows with a character for each small board: x or o if a
// player has won it, a dash if it is full, and a dot if it is open.
func bigBoard(rows []string) (big []string) {
	for y := 0; y < 9; y += 3 {
		line := ""
		for x := 0; x < 9; x += 3 {
			small := []string{rows[y][x : x+3], rows[y+1][x : x+3], rows[y+2][x : x+3]}
			switch {
			case hasLine(small, "x"):
				line += "x"
			case hasLine(small, "o"):
				line += "o"
			case strings.Contains(strings.Join(small, ""), "."):
				line += "."
			default:
				line += "-"
			}
		}
		big = append(big, line)
	}
	return big
}

// hasLine reports whether a board of three rows has three times the letter in a line.
func hasLine(board []string, letter string) bool {
	down, up := "", ""
	for i := range 3 {
		column := board[0][i:i+1] + board[1][i:i+1] + board[2][i:i+1]
		if board[i] == strings.Repeat(letter, 3) || column == strings.Repeat(letter, 3) {
			return true
		}
		down, up = down+board[i][i:i+1], up+board[2-i][i:i+1]
	}
	return down == strings.Repeat(letter, 3) || up == strings.Repeat(letter, 3)
}
