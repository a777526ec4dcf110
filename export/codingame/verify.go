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
	"slices"
	"strconv"
	"strings"
	"time"

	"dojo.example/engine"
	"dojo.example/engine/onitama"
	"dojo.example/model"
	"dojo.example/train"
)

// Report says what Verify has found.
type Report struct {
	Compiler string        `json:"compiler"`
	Turns    int           `json:"turns"`      // turns of the referee's transcripts, all answered legally
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
		{"referee's turns answered", fmt.Sprintf("%d, all legally", r.Turns)},
		{"outputs", fmt.Sprintf("those of the network in 8 bits, bit for bit, in %d positions", r.Exact)},
		{"rounding costs", fmt.Sprintf("value %.4f (at most %.3f), logits %.3f (at most %.2f)", r.ValueError.Mean, r.ValueError.Max, r.LogitError.Mean, r.LogitError.Max)},
		{"slowest of " + fmt.Sprint(r.Timed) + " answers", fmt.Sprintf("%v, all cores at work; a loop alone was paused for %v at most", r.Slowest.Round(digits), r.Pause.Round(digits))},
	}
	if r.Unjudged != "" {
		facts = append(facts, [2]string{"TIMING NOT VERIFIED", r.Unjudged})
	}
	return facts
}

// transcripts has what CodinGame's referee sent to the players in recorded games,
// among them all in which a player had to pass.
//
//go:embed transcripts.jsonl.gz
var transcripts []byte

// A transcript is one game: the lines that each player was sent, turn by turn.
type transcript struct {
	Turns [2][][]string
}

// readTranscripts unpacks transcripts.
func readTranscripts() ([]transcript, error) {
	z, err := gzip.NewReader(bytes.NewReader(transcripts))
	if err != nil {
		return nil, err
	}
	var list []transcript
	for d := json.NewDecoder(z); ; {
		var t transcript
		if err := d.Decode(&t); errors.Is(err, io.EOF) {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		list = append(list, t)
	}
}

// Verify compiles the program in the folder dir as CodinGame would, and runs it.
// The program must answer the referee's transcripts with legal actions, give the outputs
// of model.Net8 bit for bit, and answer within the deadline while loops keep the other
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
	games, err := readTranscripts()
	if err != nil {
		return r, "", err
	}
	if r.Turns, err = replay(ctx, program, games); err != nil {
		return r, "", fmt.Errorf("the referee's transcripts: %w", err)
	}
	played, err := train.PlayedRoots(ctx, p.Checkpoint, onitama.Classic.Game(), 500, 2, 1)
	if err != nil {
		return r, "", err
	}
	positions := played.Positions
	quant, err := model.NewNet8(p.Rounded)
	if err != nil {
		return r, "", err
	}
	if r.Exact, err = exact(ctx, program, quant, positions); err != nil {
		return r, "", err
	}
	if r.ValueError, r.LogitError, err = rounding(ctx, quant, model.NewNet(p.Checkpoint), positions); err != nil {
		return r, "", err
	}
	seen, err := inTime(ctx, func() (timing, error) { return timed(ctx, program, games) })
	r.Timed, r.Slowest, r.Pause, r.Spent = seen.answers, seen.slowest, seen.pause, seen.spent
	if errors.As(err, new(BusyError)) {
		r.Unjudged, err = err.Error(), nil
	}
	if err != nil {
		return r, "", err
	}
	return r, program, nil
}

// text is the input of a turn as the bot reads it.
func text(lines []string) string { return strings.Join(lines, "\n") + "\n" }

// replay sends all transcripts to the program and checks that its answers are among
// the actions offered. It returns the number of turns.
func replay(ctx context.Context, program string, games []transcript) (turns int, err error) {
	for i, g := range games {
		for player, inputs := range g.Turns {
			err := talk(ctx, program, []string{"32"}, func(bot *conversation) error {
				for _, in := range inputs {
					answer, _, err := bot.ask(text(in))
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

// exact checks that the program's outputs in the positions are those of an evaluator.
// The program counts the turns itself, so that the positions of a conversation are
// taken as if that many actions had been played. It returns the number of positions.
func exact(ctx context.Context, program string, e model.Evaluator, positions []engine.Position) (n int, err error) {
	for player := range engine.Player(2) {
		var list []engine.Position
		for _, p := range positions {
			if p.ToMove() != player {
				continue
			}
			if p, err = withPlies(p, 2*(len(list)%(onitama.Turns/2))+int(player)); err != nil {
				return n, err
			}
			list = append(list, p)
		}
		for game := range slices.Chunk(list, onitama.Turns/2) {
			if err := exactGame(ctx, program, e, game); err != nil {
				return n, err
			}
			n += len(game)
		}
	}
	return n, nil
}

// withPlies returns the position p with the given number of actions already played.
func withPlies(p engine.Position, plies int) (engine.Position, error) {
	fields := strings.Fields(p.String())
	fields[len(fields)-1] = strconv.Itoa(plies)
	return onitama.Classic.Game().Parse(strings.Join(fields, " "))
}

// exactGame is exact for the positions of one conversation.
func exactGame(ctx context.Context, program string, e model.Evaluator, positions []engine.Position) error {
	b := model.NewBatch(onitama.Classic.Spec, e)
	if err := b.Ask(ctx, e, positions...); err != nil {
		return err
	}
	return talk(ctx, program, []string{"eval"}, func(bot *conversation) error {
		for i, p := range positions {
			answer, _, err := bot.ask(onitama.Classic.Protocols[0].Ask(p, i == 0))
			if err != nil {
				return err
			}
			want := fmt.Sprintf("%08x", math.Float32bits(b.Values[i]))
			from, to := b.Input.LegalRange(i, i+1)
			for _, l := range b.Logits[from:to] {
				want += fmt.Sprintf(" %08x", math.Float32bits(l))
			}
			if answer != want {
				return fmt.Errorf("in %q the program says %q, the network in 8 bits %q", p, answer, want)
			}
		}
		return nil
	})
}

// rounding compares a network's outputs in 8 bits with those in floats.
func rounding(ctx context.Context, quant, net model.Evaluator, positions []engine.Position) (value, logit Error, err error) {
	a, b := model.NewBatch(onitama.Classic.Spec, quant), model.NewBatch(onitama.Classic.Spec, net)
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
