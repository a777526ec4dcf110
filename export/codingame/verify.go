package codingame

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/train"
)

// Report says what Verify has found.
type Report struct {
	Compiler string        `json:"compiler"`
	Turns    int           `json:"turns"`      // turns that were answered, all legally: of the referee's transcripts and of games
	Exact    int           `json:"exact"`      // positions in which the program's outputs have the bits of model.Net8
	Slowest  time.Duration `json:"slowest_ns"` // the slowest answer at the budget, while all cores are busy
	Timed    int           `json:"timed"`      // number of answers timed
	Pause    time.Duration `json:"pause_ns"`   // the longest time for which the machine stopped a loop beside the program
	Spent    time.Duration `json:"spent_ns"`   // the most processor time of an answer; 0 where the system does not tell

	// Unjudged says why nobody knows whether answers come in time: the machine was too busy.
	Unjudged string `json:"unjudged,omitempty"`

	// How far the outputs in 8 bits are from those in floats.
	ValueError Error `json:"value_error"`
	LogitError Error `json:"logit_error"`
}

// Error is the mean and the largest of absolute differences.
type Error struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// Warn returns a source with a first line that says so if nobody knows whether its answers come
// in time, if there is room for the line.
func (r *Report) Warn(source string) string {
	warned := fmt.Sprintf("// TIMING NOT VERIFIED: the machine was busy; an answer took %v, and at most %v of processor time\n%s", r.Slowest, r.Spent, source)
	if r.Unjudged == "" || Units(warned) > Limit {
		return source
	}
	return warned
}

// Facts are the report for people: names and values.
func (r *Report) Facts() [][2]string {
	facts := [][2]string{
		{"compiled by", r.Compiler},
		{"turns answered", fmt.Sprintf("%d, all legally", r.Turns)},
		{"outputs", fmt.Sprintf("those of the network in 8 bits, bit for bit, in %d positions", r.Exact)},
		{"rounding costs", fmt.Sprintf("value %.4f (at most %.3f), logits %.3f (at most %.2f)", r.ValueError.Mean, r.ValueError.Max, r.LogitError.Mean, r.LogitError.Max)},
		{"slowest of " + fmt.Sprint(r.Timed) + " answers", fmt.Sprintf("%v, all cores at work; a loop alone was paused for %v at most", r.Slowest.Round(digits), r.Pause.Round(digits))},
	}
	if r.Unjudged != "" {
		facts = append(facts, [2]string{"TIMING NOT VERIFIED", r.Unjudged})
	}
	return facts
}

// transcripts has what the referee of Onitama sent to the players in recorded games,
// among them all in which a player had to pass.
//
//go:embed transcripts.jsonl.gz
var transcripts []byte

// readTranscripts unpacks transcripts: for each game the lines that each player was sent, turn
// by turn.
func readTranscripts() (list [][2][][]string, err error) {
	z, err := gzip.NewReader(bytes.NewReader(transcripts))
	if err != nil {
		return nil, err
	}
	for d := json.NewDecoder(z); ; {
		var t struct{ Turns [2][][]string }
		if err := d.Decode(&t); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, t.Turns)
	}
}

// Verify compiles the program in the folder dir as CodinGame would, and runs it.
// The program must answer with legal actions, give the outputs of model.Net8 bit for bit, and answer within the deadline while loops keep the other
// cores busy; if the machine is busy with other work, the report says that this is not known.
// It returns the path of the compiled program.
func (p Program) Verify(ctx context.Context, dir string) (r Report, program string, err error) {
	defer func() {
		if ended := context.Cause(ctx); ended != nil {
			err = ended // which killed the program, whatever that looked like
		}
	}()
	if program, r.Compiler, err = compileSource(ctx, p.Language, p.Source, dir); err != nil {
		return r, "", err
	}
	g := games[p.Checkpoint.Game]
	if r.Turns, err = g.legal(ctx, program); err != nil {
		return r, "", err
	}
	quant, err := model.NewNet8(p.Rounded)
	if err != nil {
		return r, "", err
	}
	if r.Exact, err = g.exact(ctx, program, quant, 500); err != nil {
		return r, "", err
	}
	played, err := train.PlayedRoots(ctx, p.Checkpoint, g.Game, 500, 2, 1)
	if err != nil {
		return r, "", err
	}
	if r.ValueError, r.LogitError, err = rounding(ctx, g.Game.Spec, quant, model.NewNet(p.Checkpoint), played.Positions); err != nil {
		return r, "", err
	}
	seen, err := inTime(ctx, func() (timing, error) { return g.timed(ctx, program, 120) })
	r.Timed, r.Slowest, r.Pause, r.Spent = seen.answers, seen.slowest, seen.pause, seen.spent
	if errors.As(err, new(BusyError)) {
		r.Unjudged, err = err.Error(), nil
	}
	if err != nil {
		return r, "", err
	}
	return r, program, nil
}

// legal checks that the program's answers are legal: in the referee's recorded games, and in
// some against random actions. It returns the number of turns.
func (g Game) legal(ctx context.Context, program string) (turns int, err error) {
	if g.Recorded != nil {
		recorded, err := g.Recorded()
		if err == nil {
			turns, err = replay(ctx, program, recorded)
		}
		if err != nil {
			return turns, fmt.Errorf("the referee's transcripts: %w", err)
		}
	}
	for seed := range uint64(20) {
		err := g.against(ctx, program, []string{"32"}, seed, func(time.Duration, *conversation) { turns++ })
		if err != nil {
			return turns, fmt.Errorf("game %d against random actions: %w", seed, err)
		}
	}
	return turns, nil
}

// against plays a game of the program against random actions, and calls note with the time of
// each of its answers.
func (g Game) against(ctx context.Context, program string, args []string, seed uint64, note func(time.Duration, *conversation)) error {
	protocol, rng, me := g.protocol(), rand.New(rand.NewPCG(seed, 1)), engine.Player(seed%2)
	return talk(ctx, program, args, func(bot *conversation) error {
		after := engine.Position(nil)
		for p := g.Game.Start(rng); p.Outcome() == engine.Ongoing; {
			if p.ToMove() != me {
				legal := p.Legal(nil)
				p = p.Play(legal[rng.IntN(len(legal))])
				continue
			}
			question, err := protocol.Ask(p, after)
			if err != nil {
				return err
			}
			answer, took, err := bot.ask(question)
			if err != nil {
				return err
			}
			note(took, bot)
			name, err := protocol.Answer(answer)
			if err != nil {
				return err
			}
			a, err := engine.ParseAction(p, name)
			if err != nil {
				return err
			}
			p = p.Play(a)
			after = p
		}
		return nil
	})
}

// replay sends recorded games to the program and checks that its answers are among
// the actions offered. It returns the number of turns.
func replay(ctx context.Context, program string, recorded [][2][][]string) (turns int, err error) {
	for i, players := range recorded {
		for player, inputs := range players {
			err := talk(ctx, program, []string{"32"}, func(bot *conversation) error {
				for _, in := range inputs {
					answer, _, err := bot.ask(strings.Join(in, "\n") + "\n")
					if err != nil {
						return err
					}
					if offered := in[len(in)-offers(in):]; !slices.Contains(offered, answer) {
						return fmt.Errorf("the answer %q is none of %q", answer, offered)
					}
					turns++
				}
				return nil
			})
			if err != nil {
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

// exact checks that the program's outputs are those of an evaluator, in at least n positions
// of random games. It returns their number.
func (g Game) exact(ctx context.Context, program string, e model.Evaluator, n int) (seen int, err error) {
	for seed := uint64(0); seen < n; seed++ {
		count, err := g.exactGame(ctx, program, e, seed)
		if err != nil {
			return seen, err
		}
		seen += count
	}
	return seen, nil
}

// exactGame is exact for a game of random actions. They do not end the game before they must,
// and every third one may be as long as the rules allow; the others have 30 actions.
func (g Game) exactGame(ctx context.Context, program string, e model.Evaluator, seed uint64) (n int, err error) {
	protocol, rng, me := g.protocol(), rand.New(rand.NewPCG(seed, 2)), engine.Player(seed%2)
	b := model.NewBatch(g.Game.Spec, e)
	err = talk(ctx, program, []string{"eval"}, func(bot *conversation) error {
		after := engine.Position(nil)
		p := g.Game.Start(rng)
		for ply := 0; p.Outcome() == engine.Ongoing && (ply < 30 || seed%3 == 0); ply++ {
			next, a := quiet(p, rng)
			if p.ToMove() == me {
				question, err := protocol.Ask(p, after)
				if err == nil {
					err = b.Ask(ctx, e, p)
				}
				if err != nil {
					return err
				}
				answer, _, err := bot.ask(question)
				if err != nil {
					return err
				}
				if want := outputs8(b); answer != want {
					return fmt.Errorf("in %q the program says %q, the network in 8 bits %q", p, answer, want)
				}
				if _, err := fmt.Fprintln(bot.in, a); err != nil {
					return err
				}
				n, after = n+1, next
			}
			p = next
		}
		return nil
	})
	return n, err
}

// quiet returns a random position after p, in which the game is not over if there is one, and
// the action that leads there.
func quiet(p engine.Position, rng *rand.Rand) (next engine.Position, a engine.Action) {
	legal := p.Legal(nil)
	for _, i := range rng.Perm(len(legal)) {
		a = legal[i]
		if next = p.Play(a); next.Outcome() == engine.Ongoing {
			break
		}
	}
	return next, a
}

// outputs8 is what a program must say of the first row of a batch: value and logits.
func outputs8(b *model.Batch) string {
	text := fmt.Sprintf("%08x", math.Float32bits(b.Values[0]))
	from, to := b.Input.LegalRange(0, 1)
	for _, l := range b.Logits[from:to] {
		text += fmt.Sprintf(" %08x", math.Float32bits(l))
	}
	return text
}

// rounding compares a network's outputs in 8 bits with those in floats.
func rounding(ctx context.Context, game engine.Spec, quant, net model.Evaluator, positions []engine.Position) (value, logit Error, err error) {
	a, b := model.NewBatch(game, quant), model.NewBatch(game, net)
	if err := cmp.Or(a.Ask(ctx, quant, positions...), b.Ask(ctx, net, positions...)); err != nil {
		return value, logit, err
	}
	for i := range positions {
		value.add(a.Values[i] - b.Values[i])
	}
	for i := range a.Input.Legal {
		logit.add(a.Logits[i] - b.Logits[i])
	}
	value.Mean /= float64(len(positions))
	logit.Mean /= float64(len(a.Input.Legal))
	return value, logit, nil
}

// add adds a difference. Mean is the sum of them until the caller divides it.
func (e *Error) add(d float32) {
	x := math.Abs(float64(d))
	e.Mean += x
	e.Max = max(e.Max, x)
}
