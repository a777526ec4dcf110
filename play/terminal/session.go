// Package terminal lets people play a game by typing: a [Session] shows the board, asks for actions
// and obeys commands.
package terminal

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
	"dojo/internal/console"
	"dojo/internal/output"
	"dojo/internal/regular"
	"dojo/play"
	"dojo/run"
	"dojo/think"
)

// A Session is a game at the terminal. Nothing that is typed ends it but quit:
// what cannot be obeyed is explained, and the game stays as it was.
type Session struct {
	play.Game
	Seats [2]Seat                // of First and Second
	Deal  func() engine.Position // another start
	Seed  func() uint64          // for a player's next game
	Hints struct {
		*think.Thinker
		ByModel bool         // and not by random playouts
		Budget  think.Budget // of a hint
	}
	Prompt console.Prompt
	Out    io.Writer
}

// A Seat is who plays a side: a human if Player is nil.
type Seat struct {
	Name   string
	Player arena.Player
}

const help = `to play an action, type it, a part that no other action has, or its number in
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

// Words are what a line may begin with.
func (s *Session) Words() []string { return append(analysis.Legal(s.Now()), commands...) }

// begin tells the players that a game begins.
func (s *Session) begin() {
	for _, seat := range s.Seats {
		if seed := s.Seed(); seat.Player != nil {
			seat.Player.NewGame(seed)
		}
	}
}

// Run plays until quit, the end of the input, or the end of a game that no
// human takes part in.
func (s *Session) Run(ctx context.Context) error {
	s.begin()
	s.draw()
	s.greet()
	for {
		p := s.Now()
		text := p.ToMove().String() + "> "
		switch {
		case s.Over() && s.Seats[0].Player != nil && s.Seats[1].Player != nil:
			return nil
		case s.Over():
			text = "over (undo, new, save FILE, load FILE, quit)> "
		case s.Seats[p.ToMove()].Player != nil:
			if err := s.reply(ctx, p); err != nil {
				return err
			}
			continue
		}
		line, err := s.Prompt.Ask(text)
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
func (s *Session) greet() {
	first, second := s.Seats[engine.First].Player == nil, s.Seats[engine.Second].Player == nil
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
	fmt.Fprintf(s.Out, "%s Type an action, \"moves\" for a list of them, or \"help\".\n", who)
}

// draw shows the board and, when the game is over, how it ended.
func (s *Session) draw() {
	p := s.Now()
	fmt.Fprintf(s.Out, "\n%s", analysis.Drawing(p))
	if p.Outcome() == engine.Ongoing {
		return
	}
	end := "The game is over: " + analysis.Outcome(p.Outcome())
	if p.Outcome() != engine.Draw {
		winner := engine.First
		if p.Outcome() == engine.SecondWins {
			winner = engine.Second
		}
		end += " (" + s.Seats[winner].Name + ")"
	}
	if scorer, ok := p.State().(engine.Scorer); ok {
		first, second := scorer.Score()
		end += fmt.Sprintf(", %d to %d", first, second)
	}
	fmt.Fprintf(s.Out, "%s.\n", end)
}

// reply lets the program's player act.
func (s *Session) reply(ctx context.Context, p engine.Position) error {
	seat := s.Seats[p.ToMove()]
	s.Prompt.Wait(fmt.Sprintf("%s (%s) is thinking…", p.ToMove(), seat.Name))
	action, err := seat.Player.Choose(ctx, p)
	s.Prompt.Done()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "%s (%s) plays %s\n", p.ToMove(), seat.Name, p.ActionString(action))
	s.act(action)
	return nil
}

// act plays actions and shows the board.
func (s *Session) act(actions ...engine.Action) {
	s.Play(actions...)
	s.draw()
}

// obey does what a line says, and reports whether it is to quit.
func (s *Session) obey(ctx context.Context, line string) (quit bool, err error) {
	command, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch command {
	case "":
	case "quit", "exit", "q":
		return true, nil
	case "help", "?":
		fmt.Fprint(s.Out, help)
	case "moves":
		s.tell(play.List(s.Out, s.Now(), rest), "")
	case "new":
		s.replace(play.New(s.Rules, s.Deal()))
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
func (s *Session) tell(err error, done string) bool {
	switch {
	case err != nil:
		fmt.Fprintln(s.Out, console.OneLine(err.Error()))
	case done != "":
		fmt.Fprintln(s.Out, done)
	}
	return err == nil
}

// find is what text stands for, or an error that says where to look.
func (s *Session) find(text string) ([]engine.Action, error) {
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
func (s *Session) undo() {
	if s.Undo(func(p engine.Player) bool { return s.Seats[p].Player == nil }) {
		s.draw()
		return
	}
	fmt.Fprintln(s.Out, "there is nothing to take back")
}

var errNoFile = errors.New("which file? save FILE, load FILE")

// save writes the game so far to a file and returns its path; "--force FILE" replaces it.
func (s *Session) save(ctx context.Context, where string) (path string, err error) {
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
func (s *Session) load(path string) (play.Game, error) {
	if path == "" {
		return play.Game{}, errNoFile
	}
	text, err := regular.Read(path, play.MaxBytes)
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
func (s *Session) replace(game play.Game) {
	s.Replace(game)
	s.begin()
	s.draw()
}

// hint shows what a search thinks: its policy as visits, and the values for
// the player to move.
func (s *Session) hint(ctx context.Context) error {
	p := s.Now()
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintln(s.Out, "none: the game is over")
		return nil
	}
	s.Prompt.Wait("thinking…")
	why, err := s.Hints.Think(ctx, p, s.Hints.Budget)
	s.Prompt.Done()
	if err != nil {
		return err
	}
	t, sign := analysis.Summarise(s.Hints.Search, s.Rules.Actions), p.ToMove().Sign()
	table := console.NewTable("action", "policy", "visits", "prior", "value", "proven")
	for _, c := range t.Moves[:min(8, len(t.Moves))] {
		value, proven := "", ""
		if c.Visits > 0 {
			value = fmt.Sprintf("%+.2f", sign*c.Value)
		}
		if c.Proven != engine.Ongoing {
			proven = analysis.Outcome(c.Proven)
		}
		table.Row(c.Move, console.Percent(c.Policy), c.Visits, console.Percent(c.Prior), value, proven)
	}
	fmt.Fprintln(s.Out, table)
	fmt.Fprintln(s.Out, console.Wrapped(fmt.Sprintf("value %+.2f for %s, %d visits:", sign*t.Value, p.ToMove(), t.Visits), t.Line, ""))
	if why == think.Full {
		fmt.Fprintf(s.Out, "the search ended early, at %d of %d visits: %s\n", t.Visits, s.Hints.Budget.Visits, why)
	}
	if !s.Hints.ByModel {
		fmt.Fprintln(s.Out, "no model judges: the values are those of random play from there on")
	}
	return nil
}
