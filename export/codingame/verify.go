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

// Report is the result of Verify.
type Report struct {
	Compiler string `json:"compiler"`
	// Turns is the number of compared turns. In all of them, the bot played the move that our
	// search chooses.
	Turns int `json:"turns"`
	// Exact is the number of checked positions. In all of them, the bot followed the game's rules
	// and its outputs equalled those of model.NewNet8 bit for bit.
	Exact int `json:"exact"`
	// Ends is the number of actions in these positions that end the game. The bot computed the
	// right outcome of each of them.
	Ends int `json:"ends"`
	// Slowest is the longest time of an answer. The bot searched with its own time budget.
	Slowest time.Duration `json:"slowest_ns"`
	// Timed is the number of answers that were timed.
	Timed int `json:"timed"`
	// Spent is the longest processor time of an answer, or 0 if the system does not report it.
	Spent time.Duration `json:"spent_ns"`

	// Unjudged is empty if all answers came in time. Otherwise it says that the machine was too
	// busy to decide whether the bot answers in time.
	Unjudged string `json:"unjudged,omitempty"`

	// ValueError and LogitError are the differences between 8-bit outputs and float outputs.
	ValueError Error `json:"value_error"`
	LogitError Error `json:"logit_error"`
}

// Error holds the mean and the largest absolute difference between two lists of outputs.
type Error struct {
	Mean float64 `json:"mean"`
	Max  float64 `json:"max"`
}

// If r.Unjudged is set, Warn returns source with a warning as its first line, unless that line
// would make it longer than Limit. Otherwise it returns source unchanged.
func (r *Report) Warn(source string) string {
	warned := fmt.Sprintf("// TIMING NOT VERIFIED: the machine was busy; an answer took %v, with at most %v of processor time\n%s", r.Slowest, r.Spent, source)
	if r.Unjudged == "" || Units(warned) > Limit {
		return source
	}
	return warned
}

// Facts returns the report as pairs of a name and a value, for display.
func (r *Report) Facts() [][2]string {
	facts := [][2]string{
		{"compiled by", r.Compiler},
		{"rules", fmt.Sprintf("correct in %d positions, of which %d actions end the game", r.Exact, r.Ends)},
		{"outputs", fmt.Sprintf("bit for bit those of the network in 8 bits, in %d positions", r.Exact)},
		{"moves", fmt.Sprintf("those of this program's search, in %d turns", r.Turns)},
		{"error of 8 bits", fmt.Sprintf("value %.4f (at most %.3f), logits %.3f (at most %.2f)", r.ValueError.Mean, r.ValueError.Max, r.LogitError.Mean, r.LogitError.Max)},
		{"slowest of " + fmt.Sprint(r.Timed) + " answers", r.Slowest.Round(digits).String()},
	}
	if r.Unjudged != "" {
		facts = append(facts, [2]string{"TIMING NOT VERIFIED", r.Unjudged})
	}
	return facts
}

// Verify compiles the program in the folder dir, as CodinGame would, and runs it. It returns the
// path of the compiled program, and an error unless all of these hold:
//
//   - the program knows the rules of the game
//   - its outputs are bit for bit those of model.NewNet8
//   - after the same number of simulations it chooses the moves of our search
//   - it answers within the referee's time for a turn; if the machine is too busy to
//     tell, Report.Unjudged is set instead of an error
//
// Verify calls say before each step.
func (p Program) Verify(ctx context.Context, game mcts.Game, dir string, say func(step string)) (r Report, program string, err error) {
	defer func() {
		if ended := context.Cause(ctx); ended != nil {
			err = ended // ctx ended and killed the program, which caused err
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
	say("compare the rules and outputs with those of the game and the network")
	if r.Exact, r.Ends, err = g.exact(ctx, program, quant, 500); err != nil {
		return r, "", err
	}
	say(fmt.Sprintf("play %d games against random actions, and compare the moves with those of this program's search", alikeGames))
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
	say("time the answers")
	if err := r.time(ctx, g.turn(), func() (timing, error) { return g.timed(ctx, program, 120) }); err != nil {
		return r, "", err
	}
	return r, program, nil
}

// play plays a game between a program and another player. turn passes the referee's question to the
// program and returns the program's action. other chooses the actions of the other player.
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

// thinker returns a thinker that searches exactly as the program does.
func (p Program) thinker(game mcts.Game, e model.Evaluator) *think.Thinker {
	search := p.Search
	search.Tactics, search.Graph = mcts.Tactics{Leaf: 2}, true // as in the templates of the bots
	return think.New(game, think.Options{Evaluator: e, Search: search})
}

const alikeGames = 200 // number of games that alike plays

// alike plays games in which the program's opponent plays at random. It checks that the program
// chooses the same moves as a thinker after the same number of simulations. It returns the number
// of compared turns.
func (g Game) alike(ctx context.Context, program string, t *think.Thinker) (turns int, err error) {
	for seed := range uint64(alikeGames) {
		simulations := 32
		if seed%20 == 0 {
			simulations = 400 // test deeper searches in some of the games
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
				return 0, fmt.Errorf("in %q the bot plays %s after %d simulations, but this program plays %s: the bot's rules or features differ from the game's", p, p.ActionString(a), simulations, p.ActionString(want))
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

// heard parses the program's answer and returns the action.
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

// exact checks that the program knows the game's rules and computes the same outputs as the
// evaluator e, in at least n positions of random games. The function quiet chooses the actions, so
// that the games last long. exact returns the number of positions, and the number of
// actions in them that end the game.
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

// quiet returns a random action that does not end the game. If all actions end the game, it returns
// any of them.
func quiet(p engine.Position, rng *rand.Rand) (a engine.Action) {
	legal := p.Legal(nil)
	for _, i := range rng.Perm(len(legal)) {
		if a = legal[i]; p.Play(a).Outcome() == engine.Ongoing {
			break
		}
	}
	return a
}

// rounding returns how much the outputs of a network in 8 bits differ from its outputs in floats.
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
