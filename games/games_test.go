package games_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"dojo.example/engine"
	"dojo.example/engine/enginetest"
	"dojo.example/engine/tictactoe"
	"dojo.example/games"
	"dojo.example/search/mcts"
)

// Names of games are unique and allowed in file names, and ByName finds each game by its name.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, e := range games.All {
		if seen[e.Name] || !regexp.MustCompile(`^[a-z0-9-]+$`).MatchString(e.Name) {
			t.Errorf("a game is called %q; names are unique, in lower case", e.Name)
		}
		seen[e.Name] = true
		found, err := games.ByName(e.Name)
		if err != nil || found.Name != e.Name {
			t.Errorf("ByName(%q) finds %q, %v", e.Name, found.Name, err)
		}
	}
	if _, err := games.ByName("chess"); err == nil || !strings.Contains(err.Error(), "chess") || !strings.Contains(err.Error(), games.All[0].Name) {
		t.Errorf("ByName(chess) gives %v, want an error that names it and the games there are", err)
	}
}

// Every game keeps the promises of engine.State when engine.Game and engine.Position hide the type
// of its states.
func TestLaws(t *testing.T) {
	for _, e := range games.All {
		t.Run(e.Name, func(t *testing.T) {
			if e.Version < 1 || e.Actions < 1 || e.Planes.Size() < 1 || e.MaxPlies < 1 {
				t.Fatalf("the spec %+v leaves something out", e.Spec)
			}
			enginetest.Laws(t, e.Game.Game, 20)
		})
	}
}

// The states of each game implement exactly the optional interfaces that the test lists.
func TestAbilities(t *testing.T) {
	for name, want := range map[string]string{
		"connectfour": "ActionFeatureLister ActionReader Drawer FeatureLister Hasher Heuristic Striker",
		"oanquan":     "ActionReader Drawer FeatureLister Hasher LateReporter Scorer Stager StaticEvaluator Tactician",
		"onitama":     "ActionFeatureLister Drawer FeatureLister Hasher Heuristic LateReporter Sketcher StaticEvaluator Striker Tactician",
		"othello":     "ActionFeatureLister ActionReader Drawer FeatureLister Gridder Hasher LateReporter Scorer StaticEvaluator Tactician",
		"patchwork":   "ActionFeatureLister ActionReader Drawer FeatureLister Grouper Hasher Heuristic LateReporter Scorer Selector Sketcher StaticEvaluator",
		"tictactoe":   "Drawer FeatureLister Gridder Hasher LateReporter",
		"wallonitama": "ActionFeatureLister ActionReader Drawer FeatureLister Hasher Heuristic LateReporter StaticEvaluator Striker Tactician",
	} {
		game, err := games.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, ability := range []reflect.Type{
			reflect.TypeFor[engine.ActionFeatureLister](), reflect.TypeFor[engine.ActionReader](), reflect.TypeFor[engine.Drawer](),
			reflect.TypeFor[engine.FeatureLister](), reflect.TypeFor[engine.Gridder](), reflect.TypeFor[engine.Grouper](),
			reflect.TypeFor[engine.Hasher](), reflect.TypeFor[engine.Heuristic](), reflect.TypeFor[engine.LateReporter](),
			reflect.TypeFor[engine.Scorer](), reflect.TypeFor[engine.Selector](), reflect.TypeFor[engine.Sketcher](),
			reflect.TypeFor[engine.Stager](), reflect.TypeFor[engine.StaticEvaluator](), reflect.TypeFor[engine.Striker](),
			reflect.TypeFor[engine.Tactician](),
		} {
			if reflect.TypeOf(game.Start(rand.New(rand.NewPCG(1, 1))).State()).Implements(ability) {
				got = append(got, ability.Name())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("a state of %s offers %v, want %s", name, got, want)
		}
	}
}

// In every game, a new search asks for an evaluation of the start position.
func TestSearches(t *testing.T) {
	for _, e := range games.All {
		start := e.Start(rand.New(rand.NewPCG(1, 1)))
		s := e.NewSearch(mcts.Default())
		s.Reset(start, rand.New(rand.NewPCG(1, 2)))
		if s.Position() != start {
			t.Errorf("%s: the search stands at %s, want %s", e.Name, s.Position(), start)
		}
		in := engine.PlaneInput(e.Planes)
		if s.Begin(mcts.RootRule{Final: mcts.LCB}, 1); !s.Leaf(&in) {
			t.Errorf("%s: the first position needs no evaluation", e.Name)
		}
	}
}

// If the input is empty, a protocol returns io.EOF.
func TestProtocols(t *testing.T) {
	for _, e := range games.All {
		for _, p := range e.Protocols {
			if q, err := p.Questions(strings.NewReader(""))(nil); err != io.EOF {
				t.Errorf("%s, %s: from nothing it reads %v, %v, want EOF", e.Name, p.Name, q, err)
			}
		}
	}
}

// Options are part of a game's name and change the game.
func TestOptions(t *testing.T) {
	for name, start := range map[string]string{
		"connectfour:features=expert":           "",
		"connectfour:features=none":             "",
		"oanquan:rules=traditional,big_value=5": "",
		"othello:features=none":                 "...ox...",
		"patchwork:seven_by_seven=true":         " - -",
		"wallonitama:turns=20":                  " A 20 ",
	} {
		e, err := games.ByName(name)
		if err != nil || e.Name != name {
			t.Fatalf("ByName(%q) finds %q, %v", name, e.Name, err)
		}
		p := e.Start(rand.New(rand.NewPCG(1, 1)))
		if !strings.Contains(p.String(), start) {
			t.Errorf("%s starts with %s, want %q in it", name, p, start)
		}
		enginetest.Laws(t, e.Game.Game, 1)
	}
	for name, says := range map[string]string{
		"connectfour:features=no": "want one of: expert, none, patterns",
		"connectfour:size=7":      "features",
		"tictactoe:size=4":        "no options",
		"wallonitama:turns=0":     "turns",
		"patchwork:seven=true":    "seven_by_seven",
		"oanquan:rules=mine":      "want one of: seed, traditional",
		"othello:features=all":    "want one of: expert, none, patterns",
		"oanquan:":                "key=value",
		"chess:castling=false":    "no game",
		"oanquan:young_king=5,,x": "key=value",
	} {
		if _, err := games.ByName(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("ByName(%q) gives %v, want an error with %q", name, err, says)
		}
	}
}

// With features=none, the game is the same, but dojo derives the features from the planes.
func TestFeatured(t *testing.T) {
	expert, none := named(t, "connectfour"), named(t, "connectfour:features=none")
	if want := 8 * none.Planes.Size(); none.Features != want || none.PerAction != 0 || expert.Features == want || expert.PerAction == 0 {
		t.Errorf("there are %d and %d features, want %d for the game without features of its own", expert.Features, none.Features, want)
	}
	const text = "......./......./......./......./...o.../..oxx.."
	p, err := expert.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	q, err := none.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for ply := 0; p.Outcome() == engine.Ongoing; ply++ {
		if p.String() != q.String() || p.ToMove() != q.ToMove() || engine.HeuristicOf(p.State()) != engine.HeuristicOf(q.State()) {
			t.Fatalf("after %d plies: %s and %s", ply, p, q)
		}
		legal := p.Legal(nil)
		a := legal[ply%len(legal)]
		p, q = p.Play(a), q.Play(a)
	}
	if p.Outcome() != q.Outcome() {
		t.Errorf("%s: the outcomes are %v and %v", p, p.Outcome(), q.Outcome())
	}
}

// Variants lists the values of the option features, unless the name sets it.
func TestVariants(t *testing.T) {
	for name, want := range map[string]string{
		"connectfour":               "connectfour connectfour:features=none connectfour:features=patterns",
		"othello:features=patterns": "othello:features=patterns",
		"oanquan:folk_stones=4":     "oanquan:folk_stones=4",
		"tictactoe":                 "tictactoe",
	} {
		var got []string
		variants, err := named(t, name).Variants()
		for _, v := range variants {
			got = append(got, v.Name)
		}
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("the variants of %s are %q, %v; want %s", name, got, err, want)
		}
	}
}

func named(t *testing.T, name string) games.Entry {
	t.Helper()
	e, err := games.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A game of another module can be registered once, and only with valid rules.
func TestRegister(t *testing.T) {
	before := games.All
	defer func() { games.All = before }()
	r := tictactoe.Rules
	r.Name = "another"
	games.Register(r)
	if e, err := games.ByName("another"); err != nil || e.Actions != r.Actions {
		t.Errorf("a registered game is found as %v, %v", e.Spec, err)
	}
	large := r
	large.Name, large.Actions = "large", 70_000
	odd := r
	odd.Name, odd.Symmetries = "odd", []engine.Symmetry{{Name: "none", Actions: make([]engine.Action, 9), Planes: r.Symmetries[0].Planes, Features: r.Symmetries[0].Features}}
	for want, r := range map[string]engine.Rules[tictactoe.State]{
		"game another is already registered":                                  r,
		"game large: Actions is 70000, not between 1 and 65536; split a move": large,
		"game odd: symmetry none: it does not permute the 9 actions":          odd,
	} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, want) {
					t.Errorf("%s: panics with %q, want %q", r.Name, got, want)
				}
			}()
			games.Register(r)
		}()
	}
}
