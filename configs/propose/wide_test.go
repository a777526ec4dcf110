package propose

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"dojo.example/engine"
	"dojo.example/games"
)

// wide is a position of a game with 20,000 actions, all of which are always legal. The game ends
// after 30 actions. Whether the sum of the actions is odd or even decides who wins.
type wide struct{ plies, sum uint16 }

const wideActions, widePlies = 20_000, 30

// wideCalls counts how often the legal actions of wide have been listed.
var wideCalls atomic.Int64

// wideHook is called with the new value of wideCalls, unless it is nil.
var wideHook func(calls int64)

// wideClock simulates a processor clock that advances by 1 ms each time the legal actions of a
// position are listed.
func wideClock() time.Duration { return time.Duration(wideCalls.Load()) * time.Millisecond }

var wideRules = engine.Rules[wide]{
	Spec:  engine.Spec{Name: "wide", Version: 1, Actions: wideActions, Planes: engine.Shape{C: 1, H: 4, W: 4}, MaxPlies: widePlies},
	Start: func(*rand.Rand) wide { return wide{} },
	Parse: func(text string) (s wide, err error) {
		_, err = fmt.Sscanf(text, "%d:%d", &s.plies, &s.sum)
		return s, err
	},
}

func init() { games.Register(wideRules) }

func (s wide) ToMove() engine.Player { return engine.Player(s.plies % 2) }

func (s wide) Outcome() engine.Outcome {
	if s.plies < widePlies {
		return engine.Ongoing
	}
	return engine.WonBy(engine.Player(s.sum % 2))
}

func (s wide) Legal(dst []engine.Action) []engine.Action {
	if n := wideCalls.Add(1); wideHook != nil {
		wideHook(n)
	}
	for a := range engine.Action(wideActions) {
		dst = append(dst, a)
	}
	return dst
}

func (s wide) Play(a engine.Action) wide { return wide{s.plies + 1, s.sum + uint16(a)} }

func (s wide) Encode(planes []float32) {
	for i := range planes {
		planes[i] = float32(s.sum >> i & 1)
	}
}

func (wide) ActionString(a engine.Action) string { return strconv.Itoa(int(a)) }

func (s wide) String() string { return fmt.Sprintf("%d:%d", s.plies, s.sum) }
