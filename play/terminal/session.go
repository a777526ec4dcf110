// Package terminal lets people play a game at the terminal: a [Session] shows the board, asks for
// actions and executes commands. The package also formats positions, rows of shards (files of
// training data) and analyses as readable text.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"dojo.example/arena"
	"dojo.example/data/rundir"
	"dojo.example/engine"
	"dojo.example/internal/console"
	"dojo.example/internal/output"
	"dojo.example/internal/regular"
	"dojo.example/play"
	"dojo.example/play/analysis"
	"dojo.example/search/think"
)

// Session is a game at the terminal. If a human takes part, the session ends only with the command
// quit or at the end of the input. Invalid input does not change the game: the session only
// explains the error.
type Session struct {
	play.Game
	seats [2]seat                         // players of First and Second
	deal  func() (engine.Position, error) // returns the start position for a new game
	seed  func() uint64                   // returns a seed for a player's next game
	hints struct {
		*think.Thinker
		byModel bool         // a model gives the hints; if false, random playouts give them
		budget  think.Budget // budget of the search for one hint
	}
	prompt *console.Prompt
	out    io.Writer
}

// seat holds the player of one side. If the field player is nil, a human plays this side.
type seat struct {
	name   string
	player arena.Player
}

const help = `To play an action, type its name, a part of the name that no other action
contains, or its number in the list of moves. Other commands:
  moves      list the legal actions; moves NAME lists the actions of a group
  hint       search the position and show the best moves
  undo       take back your last action and the reply to it; after new, position
             or load, return to the previous game
  new        start a new game
  rules      show the rules and how to write actions
  position P set up position P, in the game's notation
  save FILE  save the game to a file; save --force FILE replaces a file
  load FILE  load a game from a file and continue it
  help, ?    show this help
  quit, q    leave
`

// A line of input is a command, and not an action, if it begins with one of these texts.
var commands = []string{"moves", "hint", "undo", "new", "rules", "position ", "save ", "load ", "help", "quit"}

// words returns the texts with which a line of input can begin. The prompt uses them for
// completion.
func (s *Session) words() []string { return append(analysis.Legal(s.Now()), commands...) }

// begin tells the players that a new game begins.
func (s *Session) begin() {
	for _, seat := range s.seats {
		if seed := s.seed(); seat.player != nil {
			seat.player.NewGame(seed)
		}
	}
}

// Run plays the session. It reads lines from a terminal or any other reader until the command quit
// or the end of the input. If no human takes part, Run returns at the end of the game.
func (s *Session) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	s.prompt, s.out = console.NewPrompt(ctx, in, out, s.words), out
	defer arena.Release(s.seats[0].player, s.seats[1].player)
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
			text = "game over (undo, new, save FILE, load FILE, quit)> "
		case s.seats[p.ToMove()].player != nil:
			if err := s.reply(ctx, p); err != nil {
				return err
			}
			continue
		}
		line, err := s.prompt.Ask(text)
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

// greet tells a human which side to play and what to type. If no human takes part, it writes
// nothing.
func (s *Session) greet() {
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

// rules returns the text of the rules, including the notation of positions and actions.
func (s *Session) rules() (text string, err error) {
	about := s.Rules.AboutIn("en")
	if text = about.ForPlayers(); text == "" {
		return "", fmt.Errorf("there is no text of the rules of %s", s.Rules.Name)
	}
	if notation := about.Section("Text"); notation != "" {
		text += "\n## Text\n\n" + notation
	}
	return text, nil
}

// draw shows the board. If the game is over, draw also shows the result.
func (s *Session) draw() {
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

// reply asks the model or program whose turn it is for an action, and plays this action.
func (s *Session) reply(ctx context.Context, p engine.Position) error {
	seat := s.seats[p.ToMove()]
	if err := s.check(p); err != nil {
		return err
	}
	s.prompt.Wait(fmt.Sprintf("%s (%s) is thinking…", p.ToMove(), seat.name))
	action, err := seat.player.Choose(ctx, p)
	s.prompt.Done()
	if err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%s (%s) plays %s\n", p.ToMove(), seat.name, p.ActionString(action))
	s.act(action)
	return nil
}

// check returns an error if the game's code violates the contract of package engine in position p.
// It is called when a program is to move. The limit of plies is checked only if no human plays,
// because a human can quit an endless game.
func (s *Session) check(p engine.Position) (err error) {
	if s.seats[0].player != nil && s.seats[1].player != nil {
		_, err = s.Rules.Turn(p, len(s.Actions), nil)
	} else {
		_, err = s.Rules.Choices(p, nil)
	}
	return err
}

// act plays actions and shows the board.
func (s *Session) act(actions ...engine.Action) {
	s.Play(actions...)
	s.draw()
}

// obey executes a line of input. It returns true if the session must end.
func (s *Session) obey(ctx context.Context, line string) (quit bool, err error) {
	command, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	switch command {
	case "":
	case "quit", "exit", "q":
		return true, nil
	case "help", "?":
		fmt.Fprint(s.out, help)
	case "moves":
		s.tell(play.List(s.out, s.Now(), rest), "")
	case "new":
		if start, err := s.deal(); s.tell(err, "") {
			s.replace(play.New(s.Rules, start))
		}
	case "hint":
		return false, s.hint(ctx)
	case "undo":
		s.undo()
	case "rules":
		text, err := s.rules()
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
		actions, err := play.Find(s.Now(), line)
		if err != nil {
			err = fmt.Errorf("%w; type moves to list the legal actions, help to list the commands", err)
		}
		if s.tell(err, "") {
			s.act(actions...)
		}
	}
	return false, nil
}

// tell prints err or, if err is nil, the message done. It reports whether err is nil.
func (s *Session) tell(err error, done string) bool {
	switch {
	case err != nil:
		fmt.Fprintln(s.out, console.OneLine(err.Error()))
	case done != "":
		fmt.Fprintln(s.out, done)
	}
	return err == nil
}

// hint shows the result of a search for the current position.
func (s *Session) hint(ctx context.Context) error {
	p, by := s.Now(), "random playouts, without a model"
	if p.Outcome() != engine.Ongoing {
		fmt.Fprintln(s.out, "no hint: the game is over")
		return nil
	}
	s.prompt.Wait("thinking…")
	why, err := s.hints.Think(ctx, p, s.hints.budget)
	s.prompt.Done()
	if err != nil {
		return err
	}
	if s.hints.byModel {
		by = "the model"
	}
	t := analysis.Summarise(s.hints.Search, s.Rules.Actions)
	t.Moves, t.Stop = t.Moves[:min(8, len(t.Moves))], why
	fmt.Fprint(s.out, thoughtText(p, t, by))
	return nil
}

// undo goes back to the last position in which a human was to move.
func (s *Session) undo() {
	if s.Undo(func(p engine.Player) bool { return s.seats[p].player == nil }) {
		s.draw()
		return
	}
	fmt.Fprintln(s.out, "there is nothing to take back")
}

var errNoFile = errors.New("name a file: save FILE or load FILE")

// save writes the game so far to a file and returns the file's path. If where is "--force FILE",
// save may replace an existing file.
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
	f, err := output.Open(path, output.Policy{Refuse: rundir.Refuse, Force: force})
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
	text, err := regular.ReadText(path, play.MaxBytes)
	if err != nil {
		return play.Game{}, err
	}
	game, err := play.Read(s.Rules, string(text))
	if err != nil {
		return play.Game{}, fmt.Errorf("%s: %w", path, err)
	}
	return game, nil
}

// replace replaces the game of the session and shows the new board.
func (s *Session) replace(game play.Game) {
	s.Replace(game)
	s.begin()
	s.draw()
}
