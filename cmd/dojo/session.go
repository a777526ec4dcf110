package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"dojo/analysis"
	"dojo/arena"
	"dojo/docs"
	"dojo/engine"
	"dojo/internal/output"
	"dojo/internal/regular"
	"dojo/play"
	"dojo/run"
	"dojo/think"
)

// session is a game at the terminal. Nothing that is typed ends it but quit:
// what cannot be obeyed is explained, and the game stays as it was.
type session struct {
	play.Game
	seats   [2]seat                // of First and Second
	deal    func() engine.Position // another start
	seed    func() uint64          // for a player's next game
	hinting struct {
		*think.Thinker
		byModel bool         // and not by random playouts
		budget  think.Budget // of a hint
	}
	prompt prompt
	out    io.Writer
}

// seat is who plays a side: a human if player is nil.
type seat struct {
	name   string
	player arena.Player
}

const sessionHelp = `to play an action, type it, a part that no other action has, or its number in
the list of moves; other commands:
  moves      list the legal actions; moves NAME those of a group
  hint       what a search thinks of them
  undo       take back your last action and the answer to it, or a new position
  new        begin another game
  rules      how the game is played, and how actions are written
  position P set up a position, in the game's notation
  save FILE  write the game to a file; save --force FILE replaces one
  load FILE  go on with a game from a file
  help, ?    this
  quit, q    leave
`

// commands are the words that begin a line which is no action.
var commands = []string{"moves", "hint", "undo", "new", "rules", "position ", "save ", "load ", "help", "quit"}

// words are what a line may begin with.
func (s *session) words() []string { return append(analysis.Legal(s.Now()), commands...) }

// begin tells the players that a game begins.
func (s *session) begin() {
	for _, seat := range s.seats {
		if seed := s.seed(); seat.player != nil {
			seat.player.NewGame(seed)
		}
	}
}

// run plays until quit, the end of the input, or the end of a game that no
// human takes part in.
func (s *session) run(ctx context.Context) error {
	s.begin()
	s.draw()
	s.greet()
	for {
		p := s.Now()
		text := p.ToMove().String() + "> "
		switch {
		case s.Over() && s.seats[0].player != nil && s.seats[1].player != nil:
			return nil
		case s.Over():
			text = "over (undo, new, save FILE, load FILE, quit)> "
		case s.seats[p.ToMove()].player != nil:
			if err := s.reply(ctx, p); err != nil {
				return err
			}
			continue
		}
		line, err := s.prompt.ask(text)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if quit, err := s.obey(ctx, strings.TrimSpace(line)); quit || err != nil {
			return err
		}
	}
}

// greet tells a human which side is theirs, and what may be typed.
func (s *session) greet() {
	first, second := s.seats[engine.First].player == nil, s.seats[engine.Second].player == nil
	if !first && !second {
		return
	}
	who := "You play both sides."
	if first != second {
		player := engine.First
		if second {
			player = engine.Second
		}
		who = fmt.Sprintf("You are %s.", player)
	}
	fmt.Fprintf(s.out, "%s Type an action, \"moves\" for a list of them, or \"help\".\n", who)
}

// draw shows the board and, when the game is over, how it ended.
func (s *session) draw() {
	p := s.Now()
	fmt.Fprintf(s.out, "\n%s", analysis.Drawing(p))
	if p.Outcome() == engine.Ongoing {
		return
	}
	end := "The game is over: " + analysis.Outcome(p.Outcome())
	if p.Outcome() != engine.Draw {
		winner := engine.First
		if p.Outcome() == engine.SecondWins {
			winner = engine.Second
		}
		end += " (" + s.seats[winner].name + ")"
	}
	if scorer, ok := p.State().(engine.Scorer); ok {
		first, second := scorer.Score()
		end += fmt.Sprintf(", %d to %d", first, second)
	}
	fmt.Fprintf(s.out, "%s.\n", end)
}

// reply lets the program's player act.
func (s *session) reply(ctx context.Context, p engine.Position) error {
	seat := s.seats[p.ToMove()]
	s.prompt.wait(fmt.Sprintf("%s (%s) is thinking…", p.ToMove(), seat.name))
	action, err := seat.player.Choose(ctx, p)
	s.prompt.done()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s (%s) plays %s\n", p.ToMove(), seat.name, p.ActionString(action))
	s.act(action)
	return nil
}

// act plays actions and shows the board.
func (s *session) act(actions ...engine.Action) {
	s.Play(actions...)
	s.draw()
}

// obey does what a line says, and reports whether it is to quit.
func (s *session) obey(ctx context.Context, line string) (quit bool, err error) {
	command, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch command {
	case "":
	case "quit", "exit", "q":
		return true, nil
	case "help", "?":
		fmt.Fprint(s.out, sessionHelp)
	case "moves":
		s.tell(play.List(s.out, s.Now(), rest), "")
	case "new":
		s.replace(play.New(s.Rules, s.deal()))
	case "hint":
		return false, s.hint(ctx)
	case "undo":
		s.undo()
	case "rules":
		text, err := docs.RulesOfPlay(s.Rules.Name)
		s.tell(err, text)
	case "position":
		if game, err := play.Read(s.Rules, rest); s.tell(err, "") {
			s.replace(game)
		}
	case "save":
		path, err := s.save(ctx, rest)
		s.tell(err, "saved to "+path)
	case "load":
		if game, err := s.load(rest); s.tell(err, "loaded "+rest) {
			s.replace(game)
		}
	default:
		actions, err := s.find(line)
		if s.tell(err, "") {
			s.act(actions...)
		}
	}
	return false, nil
}

// tell explains an error, or says what was done; it reports success.
func (s *session) tell(err error, done string) bool {
	switch {
	case err != nil:
		fmt.Fprintln(s.out, oneLine(err.Error()))
	case done != "":
		fmt.Fprintln(s.out, done)
	}
	return err == nil
}

// find is what text stands for, or an error that says where to look.
func (s *session) find(text string) ([]engine.Action, error) {
	actions, err := play.Find(s.Now(), text)
	switch unknown := (*play.UnknownError)(nil); {
	case errors.Is(err, play.ErrOver):
		err = fmt.Errorf("%w: undo takes back the last action", err)
	case errors.As(err, &unknown) && unknown.Reason != nil:
		err = fmt.Errorf("%w; moves lists the actions, help the commands", err)
	case errors.As(err, &unknown):
		err = fmt.Errorf("%q is no command and no legal action; moves lists the actions, help the commands", unknown.Text)
	}
	return actions, err
}

// undo goes back to where a human was last to move.
func (s *session) undo() {
	if s.Undo(func(p engine.Player) bool { return s.seats[p].player == nil }) {
		s.draw()
		return
	}
	fmt.Fprintln(s.out, "there is nothing to take back")
}

var errNoFile = errors.New("which file? save FILE, load FILE")

// longestGame is the size in bytes of the largest file that load reads.
const longestGame = 1 << 20

// save writes the game so far to a file and returns its path; "--force FILE" replaces it.
func (s *session) save(ctx context.Context, where string) (path string, err error) {
	path = where
	first, rest, _ := strings.Cut(where, " ")
	force := first == "--force"
	if force {
		path = strings.TrimSpace(rest)
	}
	if path == "" {
		return "", errNoFile
	}
	f, err := output.Open(path, output.Policy{Refuse: run.Refuse, Force: force})
	if err != nil {
		return "", err
	}
	return path, f.WriteText(ctx, s.String())
}

// load reads a game from a file.
func (s *session) load(path string) (play.Game, error) {
	if path == "" {
		return play.Game{}, errNoFile
	}
	text, err := regular.Read(path, longestGame)
	if err != nil {
		return play.Game{}, err
	}
	game, err := play.Read(s.Rules, string(text))
	if err != nil {
		return play.Game{}, fmt.Errorf("%s: %w", path, err)
	}
	return game, nil
}

// replace goes on with another game.
func (s *session) replace(game play.Game) {
	s.Replace(game)
	s.begin()
	s.draw()
}

// hint shows what a search thinks: its policy as visits, and the values for
// the player to move.
func (s *session) hint(ctx context.Context) error {
	p := s.Now()
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintln(s.out, "none: the game is over")
		return nil
	}
	s.prompt.wait("thinking…")
	why, err := s.hinting.Think(ctx, p, s.hinting.budget)
	s.prompt.done()
	if err != nil {
		return err
	}
	t, sign := analysis.Summarise(s.hinting.Search, s.Rules.Actions), p.ToMove().Sign()
	table := newGrid("action", "policy", "visits", "prior", "value", "proven")
	for _, c := range t.Moves[:min(8, len(t.Moves))] {
		value, proven := "", ""
		if c.Visits > 0 {
			value = fmt.Sprintf("%+.2f", sign*c.Value)
		}
		if c.Proven != engine.Ongoing {
			proven = analysis.Outcome(c.Proven)
		}
		table.row(c.Move, percent(c.Policy), c.Visits, percent(c.Prior), value, proven)
	}
	fmt.Fprintln(s.out, table)
	fmt.Fprintln(s.out, wrapped(fmt.Sprintf("value %+.2f for %s, %d visits:", sign*t.Value, p.ToMove(), t.Visits), t.Line, ""))
	if why == think.Full {
		fmt.Fprintf(s.out, "the search ended early, at %d of %d visits: %s\n", t.Visits, s.hinting.budget.Visits, why)
	}
	if !s.hinting.byModel {
		fmt.Fprintln(s.out, "no model judges: the values are those of random play from there on")
	}
	return nil
}
