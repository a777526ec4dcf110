package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"dojo/analysis"
	"dojo/arena"
	"dojo/docs"
	"dojo/engine"
	"dojo/internal/output"
	"dojo/play"
	"dojo/think"
)

// session is a game at the terminal. Nothing that is typed ends it but quit:
// what cannot be obeyed is explained, and the game stays as it was.
type session struct {
	play.Game
	seats   [2]seat        // of First and Second
	thinker *think.Thinker // for hints
	budget  think.Budget   // of a hint
	in      *bufio.Reader
	out     io.Writer
}

// seat is who plays a side: a human if player is nil.
type seat struct {
	name   string
	player arena.Player
}

const sessionHelp = `an action, or its number in the list of moves, plays it; other commands:
  moves      list the legal actions
  hint       what a search thinks of them
  undo       take back your last action and the answer to it
  rules      how the game is played, and how actions are written
  position P set up a position, in the game's notation
  save FILE  write the game to a file; save --force FILE replaces one
  load FILE  go on with a game from a file
  quit       leave
`

// run plays until quit, the end of the input, or the end of a game that no
// human takes part in.
func (s *session) run(ctx context.Context) error {
	s.draw()
	for {
		p := s.Now()
		over := p.Outcome() != engine.Ongoing
		switch {
		case over && s.seats[0].player != nil && s.seats[1].player != nil:
			return nil
		case !over && s.seats[p.ToMove()].player != nil:
			if err := s.reply(ctx, p); err != nil {
				return err
			}
			continue
		case over:
			fmt.Fprint(s.out, "over (undo, save FILE, load FILE, quit)> ")
		default:
			fmt.Fprintf(s.out, "%s> ", p.ToMove())
		}
		line, err := s.in.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			fmt.Fprintln(s.out)
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if quit, err := s.obey(ctx, strings.TrimSpace(line)); quit || err != nil {
			return err
		}
	}
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
	action, err := s.seats[p.ToMove()].player.Choose(ctx, p)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s (%s) plays %s\n", p.ToMove(), s.seats[p.ToMove()].name, p.ActionString(action))
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
	case "quit", "exit":
		return true, nil
	case "help":
		fmt.Fprint(s.out, sessionHelp)
	case "moves":
		s.list()
	case "hint":
		return false, s.hint(ctx)
	case "undo":
		s.undo()
	case "rules":
		text, err := docs.Rules(s.Rules.Name)
		s.tell(err, text)
	case "position":
		if s.tell(s.replace(rest), "") {
			s.draw()
		}
	case "save":
		s.tell(s.save(rest), "saved to "+rest)
	case "load":
		if s.tell(s.load(rest), "loaded "+rest) {
			s.draw()
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

func (s *session) list() {
	names := analysis.Legal(s.Now())
	if len(names) == 0 {
		fmt.Fprintln(s.out, "none: the game is over")
	}
	for i, name := range names {
		fmt.Fprintf(s.out, "%3d  %s\n", i+1, name)
	}
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

// save writes the game so far; "--force FILE" replaces a file.
func (s *session) save(path string) error {
	first, rest, _ := strings.Cut(path, " ")
	force := first == "--force"
	if force {
		path = strings.TrimSpace(rest)
	}
	if path == "" {
		return errNoFile
	}
	f, err := output.Open(path, output.Policy{Force: force})
	if err != nil {
		return err
	}
	return f.WriteText(s.String())
}

// load replaces the game by one from a file, if all of that is legal.
func (s *session) load(path string) error {
	if path == "" {
		return errNoFile
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := s.replace(string(text)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// replace replaces the game by the position or game that text holds.
func (s *session) replace(text string) error {
	game, err := play.Read(s.Rules, text)
	if err == nil {
		s.Game = game
	}
	return err
}

// hint shows what a search thinks: its policy as visits, and the values for
// the player to move.
func (s *session) hint(ctx context.Context) error {
	p := s.Now()
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintln(s.out, "none: the game is over")
		return nil
	}
	why, err := s.thinker.Think(ctx, p, s.budget)
	if err != nil {
		return err
	}
	t, sign := analysis.Summarise(s.thinker.Search, s.Rules.Actions), p.ToMove().Sign()
	table := newGrid("action", "policy", "visits", "prior", "value", "proven")
	for _, c := range t.Choices[:min(8, len(t.Choices))] {
		value, proven := "", ""
		if c.Visits > 0 {
			value = fmt.Sprintf("%+.2f", sign*c.Value)
		}
		if c.Proven != engine.Ongoing {
			proven = analysis.Outcome(c.Proven)
		}
		table.row(c.Action, percent(c.Policy), c.Visits, percent(c.Prior), value, proven)
	}
	fmt.Fprintln(s.out, table.writer.Render())
	fmt.Fprintf(s.out, "value %+.2f for %s, %d visits: %s\n",
		sign*t.Value, p.ToMove(), t.Visits, strings.Join(t.Line, ", "))
	if why == think.Full {
		fmt.Fprintf(s.out, "the search ended early, at %d of %d visits: %s\n", t.Visits, s.budget.Visits, why)
	}
	return nil
}
