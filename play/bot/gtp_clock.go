package bot

import (
	"errors"
	"strconv"
	"time"

	"dojo.example/engine"
)

// gtpClock is a player's clock by the rules of GTP: a main time, followed by periods. In each period
// the player must play a number of moves, called stones.
type gtpClock struct {
	main, period time.Duration // as in time_settings
	stones       int           // moves per period; 0 if there are no periods
	limited      bool          // the settings limit the player's time

	left      time.Duration // time left in the main time or in the current period
	leftMoves int           // moves to play in the current period; 0 in the main time
}

const (
	// gtpMoves divides the time that is left of the main time: the player uses this part of it for
	// the next move. The time for later moves shrinks, and the main time never runs out.
	gtpMoves = 20

	// gtpShare is the part of a move's time that the player thinks, in hundredths. The rest is for
	// input and output, and for delays of the front end.
	gtpShare = 84

	// mostGTPSeconds is the largest number of seconds in a command, about a year.
	mostGTPSeconds = 365 * 24 * 60 * 60
)

// reset begins a new game with the same settings.
func (c *gtpClock) reset() {
	c.left, c.leftMoves = c.main, 0
	if c.main == 0 {
		c.left, c.leftMoves = c.period, c.stones
	}
}

// turn returns how long the player may think about the next move, or 0 if there is no limit.
func (c *gtpClock) turn() time.Duration {
	if !c.limited {
		return 0
	}
	t := c.left / gtpMoves
	if c.leftMoves > 0 {
		t = c.left / time.Duration(c.leftMoves)
	} else if c.stones > 0 {
		t = max(t, min(c.left, c.period/time.Duration(c.stones))) // a period follows the main time
	}
	return max(t*gtpShare/100, time.Millisecond)
}

// spend subtracts the time that the player took for a move.
func (c *gtpClock) spend(t time.Duration) {
	c.left = max(0, c.left-t)
	if c.leftMoves > 0 {
		c.leftMoves--
	}
	if c.leftMoves == 0 && c.stones > 0 && (c.left == 0 || c.main == 0) { // the next period begins
		c.left, c.leftMoves = c.period, c.stones
	}
}

// timeSettings executes time_settings MAIN PERIOD STONES, with times in seconds.
func (s *gtpSession) timeSettings(args []string) error {
	n, err := gtpNumbers(args, 3)
	if err != nil {
		return err
	}
	c := gtpClock{main: seconds(n[0]), period: seconds(n[1]), stones: n[2], limited: true}
	if n[2] == 0 && (n[1] > 0 || n[0] == 0) {
		c.limited = false // by the rules of GTP, a period without stones means that there is no limit
	}
	if n[1] == 0 {
		c.stones = 0
	}
	c.reset()
	s.clocks = [2]gtpClock{c, c}
	return nil
}

// timeLeft executes time_left COLOUR TIME STONES, with the time in seconds.
func (s *gtpSession) timeLeft(args []string) error {
	player, err := engine.ParseGTPColour(first(args))
	if err != nil {
		return err
	}
	n, err := gtpNumbers(args[1:], 2)
	if err != nil {
		return err
	}
	c := &s.clocks[player]
	c.left, c.leftMoves, c.limited = seconds(n[0]), n[1], true
	return nil
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// gtpNumbers parses the arguments of a command, which must be count numbers.
func gtpNumbers(args []string, count int) (numbers []int, err error) {
	if len(args) != count {
		return nil, errors.New("syntax error: want " + strconv.Itoa(count) + " numbers")
	}
	for _, arg := range args {
		n, err := strconv.ParseFloat(arg, 64) // some programs write seconds with a fraction
		if err != nil || !(n >= 0 && n <= mostGTPSeconds) {
			return nil, errors.New("syntax error: " + strconv.Quote(arg) + " is not a number from 0 to " + strconv.Itoa(mostGTPSeconds))
		}
		numbers = append(numbers, int(n))
	}
	return numbers, nil
}
