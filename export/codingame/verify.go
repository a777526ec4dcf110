//go:build !js

package codingame

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"time"

	"dojo.example/engine"
	"dojo.example/model"
	"dojo.example/search/mcts"
	"dojo.example/search/think"
	"dojo.example/train"
)

// Report says what Verify has found.
type Report struct {
	Compiler string        `json:"compiler"`
	Turns    int           `json:"turns"`      // turns of games that were answered, all by the move of our search
	Exact    int           `json:"exact"`      // positions in which the program's rules are the game's and its outputs have the bits of model.NewNet8
	Ends     int           `json:"ends"`       // actions in them that end the game, all with the outcome of the game's rules
	Slowest  time.Duration `json:"slowest_ns"` // the slowest answer at the budget
	Timed    int           `json:"timed"`      // number of answers timed
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
		{"rules", fmt.Sprintf("those of the game in %d positions; %d actions end it", r.Exact, r.Ends)},
		{"outputs", fmt.Sprintf("those of the network in 8 bits, bit for bit, in %d positions", r.Exact)},
		{"turns answered", fmt.Sprintf("%d, all by the move of this program's search", r.Turns)},
		{"rounding costs", fmt.Sprintf("value %.4f (at most %.3f), logits %.3f (at most %.2f)", r.ValueError.Mean, r.ValueError.Max, r.LogitError.Mean, r.LogitError.Max)},
		{"slowest of " + fmt.Sprint(r.Timed) + " answers", r.Slowest.Round(digits).String()},
	}
	if r.Unjudged != "" {
		facts = append(facts, [2]string{"TIMING NOT VERIFIED", r.Unjudged})
	}
	return facts
}

// Verify compiles the program in the folder dir as CodinGame would, and runs it. The program must
// have the rules of game, the outputs of model.NewNet8 bit for bit, and after as many simulations the
// moves of our search. It must answer within the referee's time for a turn. If the machine is busy
// with other work, the report says that the time of answers is not known.
// It returns the path of the compiled program. say is told of each step before it begins.
func (p Program) Verify(ctx context.Context, game mcts.Game, dir string, say func(step string)) (r Report, program string, err error) {
	defer func() {
		if ended := context.Cause(ctx); ended != nil {
			err = ended // which killed the program, whatever that looked like
		}
	}()
	say("compile the program")
	if program, r.Compiler, err = compileSource(ctx, p.Language, p.Source, dir); err != nil {
		return r, "", err
	}
	g := games[p.Checkpoint.Game]
	quant, err := model.NewNet8(p.Rounded)
	if err != nil {
		return r, "", err
	}
	say("compare its rules and outputs with those of the game and the network")
	if r.Exact, r.Ends, err = g.exact(ctx, program, quant, 500); err != nil {
		return r, "", err
	}
	say(fmt.Sprintf("play %d games against random actions, and compare its moves with those of this program", alikeGames))
	if r.Turns, err = g.alike(ctx, program, p.thinker(game, quant)); err != nil {
		return r, "", err
	}
	played, err := train.PlayedRoots(ctx, p.Checkpoint, g.Game, 500, 2, 1)
	if err != nil {
		return r, "", err
	}
	if r.ValueError, r.LogitError, err = rounding(ctx, quant, model.NewNet(p.Checkpoint), played.Positions); err != nil {
		return r, "", err
	}
	say("time its answers")
	if err := r.time(ctx, g.turn(), func() (timing, error) { return g.timed(ctx, program, 120) }); err != nil {
		return r, "", err
	}
	return r, program, nil
}

// play plays a game of a program against other actions. turn answers the referee's
// question where the program is to move, and other chooses the actions of the other player.
func (g Game) play(ctx context.Context, program string, args []string, seed uint64,
	turn func(bot *conversation, p engine.Position, question string) (engine.Action, error),
	other func(p engine.Position, rng *rand.Rand) engine.Action,
) error {
	me := engine.Player(seed % 2)
	rng := rand.New(rand.NewPCG(seed, 1))
	return talk(ctx, program, args, func(bot *conversation) error {
		start, err := g.Game.Deal(rng)
		if err != nil {
			return err
		}
		after := engine.Position(nil)
		_, err = g.Game.PlayFrom(start, func(p engine.Position, _ int, _ []engine.Action) (engine.Action, error) {
			if p.ToMove() != me {
				return other(p, rng), nil
			}
			question, err := g.protocol.Ask(p, after)
			if err != nil {
				return 0, err
			}
			a, err := turn(bot, p, question)
			if err != nil {
				return 0, err
			}
			after = p.Play(a)
			return a, nil
		})
		return err
	})
}

// thinker searches as the program does.
func (p Program) thinker(game mcts.Game, e model.Evaluator) *think.Thinker {
	search := p.Search
	search.Tactics, search.Graph = mcts.Tactics{Leaf: 2}, true // as the templates have them
	return think.New(game, think.Options{Evaluator: e, Search: search})
}

const alikeGames = 200 // that alike plays

// alike checks in games against random actions that the program chooses what a thinker chooses
// after as many simulations. It returns the number of turns.
func (g Game) alike(ctx context.Context, program string, t *think.Thinker) (turns int, err error) {
	for seed := range uint64(alikeGames) {
		simulations := 32
		if seed%20 == 0 {
			simulations = 400 // which look farther ahead
		}
		t.NewGame(seed)
		err := g.play(ctx, program, []string{strconv.Itoa(simulations)}, seed, func(bot *conversation, p engine.Position, question string) (engine.Action, error) {
			answer, _, err := bot.ask(question)
			if err != nil {
				return 0, err
			}
			a, err := g.heard(p, answer)
			if err != nil {
				return 0, err
			}
			if _, err := t.Think(ctx, p, think.Budget{Visits: simulations}); err != nil {
				return 0, err
			}
			if want := t.Choose(); a != want {
				return 0, fmt.Errorf("in %q the bot plays %s after %d simulations, and this program %s: the bot's rules or features are not the game's", p, p.ActionString(a), simulations, p.ActionString(want))
			}
			turns++
			return a, nil
		}, randomly)
		if err != nil {
			return turns, fmt.Errorf("game %d against random actions: %w", seed, err)
		}
	}
	return turns, nil
}

// heard returns the action in a line of answer.
func (g Game) heard(p engine.Position, answer string) (engine.Action, error) {
	name, err := g.protocol.ActionIn(answer)
	if err != nil {
		return 0, err
	}
	return engine.ParseAction(p, name)
}

// randomly returns a random action.
func randomly(p engine.Position, rng *rand.Rand) engine.Action {
	legal := p.Legal(nil)
	return legal[rng.IntN(len(legal))]
}

// exact checks that the program's rules are the game's and its outputs those of an evaluator, in at
// least n positions of games of random actions. These do not end a game before they must. It returns
// the number of positions, and of actions in them that end the game.
func (g Game) exact(ctx context.Context, program string, e model.Evaluator, n int) (seen, ends int, err error) {
	b := model.NewBatch(e)
	for seed := uint64(0); seen < n && err == nil; seed++ {
		rng := rand.New(rand.NewPCG(seed, 2))
		err = g.play(ctx, program, []string{"eval"}, seed, func(bot *conversation, p engine.Position, question string) (engine.Action, error) {
			if err := b.Ask(ctx, p); err != nil {
				return 0, err
			}
			answer, _, err := bot.ask(question)
			if err != nil {
				return 0, err
			}
			words, last := expected(p, b)
			if err := compare(p, words, answer); err != nil {
				return 0, err
			}
			seen++
			ends += last
			a := quiet(p, rng)
			_, err = fmt.Fprintln(bot.in, a)
			return a, err
		}, quiet)
	}
	return seen, ends, err
}

// quiet returns a random action after which the game is not over, if there is one.
func quiet(p engine.Position, rng *rand.Rand) (a engine.Action) {
	legal := p.Legal(nil)
	for _, i := range rng.Perm(len(legal)) {
		if a = legal[i]; p.Play(a).Outcome() == engine.Ongoing {
			break
		}
	}
	return a
}

// rounding compares a network's outputs in 8 bits with those in floats.
func rounding(ctx context.Context, quant, net model.Evaluator, positions []engine.Position) (value, logit Error, err error) {
	a, b := model.NewBatch(quant), model.NewBatch(net)
	if err := cmp.Or(a.Ask(ctx, positions...), b.Ask(ctx, positions...)); err != nil {
		return value, logit, err
	}
	return errorOf(a.Values[:len(positions)], b.Values), errorOf(a.Logits[:len(a.Input.Legal)], b.Logits), nil
}

func errorOf(a, b []float32) (e Error) {
	for i := range a {
		x := math.Abs(float64(a[i] - b[i]))
		e.Mean, e.Max = e.Mean+x/float64(len(a)), max(e.Max, x)
	}
	return e
}
