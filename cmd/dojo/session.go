package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"dojo/arena"
	"dojo/docs"
	"dojo/engine"
	"dojo/games"
	"dojo/think"
)

// session is a game at the terminal. Nothing that is typed ends it but quit:
// what cannot be obeyed is explained, and the game stays as it was.
type session struct {
	game    games.Entry
	seats   [2]seat        // of First and Second
	thinker *think.Thinker // for hints
	in      *bufio.Reader
	out     io.Writer

	positions []engine.Position // from the start to the board now
	actions   []engine.Action   // between them
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
		p := s.now()
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

func (s *session) now() engine.Position { return s.positions[len(s.positions)-1] }

// draw shows the board and, when the game is over, how it ended.
func (s *session) draw() {
	p := s.now()
	fmt.Fprintf(s.out, "\n%s", drawing(p))
	if p.Outcome() == engine.Ongoing {
		return
	}
	end := "The game is over: " + outcomeText(p.Outcome())
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
	s.play(action)
	return nil
}

func (s *session) play(actions ...engine.Action) {
	for _, action := range actions {
		s.positions = append(s.positions, s.now().Play(action))
		s.actions = append(s.actions, action)
	}
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
		text, err := docs.Rules(s.game.Name)
		s.tell(err, text)
	case "position":
		if s.tell(s.setUp(rest), "") {
			s.draw()
		}
	case "save":
		s.tell(s.save(rest), "saved to "+rest)
	case "load":
		if s.tell(s.load(rest), "loaded "+rest) {
			s.draw()
		}
	default:
		actions, err := s.find(strings.Join(strings.Fields(line), " "))
		if s.tell(err, "") {
			s.play(actions...)
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

// find is the action that text names, or the actions of a whole turn: by name,
// by a name that differs only in case, or by its number in the list.
func (s *session) find(text string) ([]engine.Action, error) {
	p := s.now()
	if p.Outcome() != engine.Ongoing {
		return nil, errors.New("the game is over: undo takes back the last action")
	}
	all, err := engine.ParseActions(p, text)
	if err == nil {
		return all, s.oneTurn(all)
	}
	legal := p.Legal(nil)
	if n, bad := strconv.Atoi(text); bad == nil && n >= 1 && n <= len(legal) {
		return legal[n-1 : n], nil
	}
	if _, explains := p.State().(engine.ActionReader); explains {
		return nil, fmt.Errorf("%w; moves lists the actions, help the commands", err)
	}
	var same []engine.Action
	var near []string
	for _, action := range legal {
		name := p.ActionString(action)
		if strings.EqualFold(name, text) {
			same = append(same, action)
		}
		if strings.Contains(strings.ToLower(name), strings.ToLower(text)) {
			near = append(near, strconv.Quote(name))
		}
	}
	switch {
	case len(same) == 1:
		return same, nil
	case len(near) > 0:
		return nil, fmt.Errorf("%q is not an action here; did you mean %s?", text, either(near))
	}
	return nil, fmt.Errorf("%q is no command and no legal action; moves lists the actions, help the commands", text)
}

// oneTurn refuses actions of which some would be the other player's.
func (s *session) oneTurn(actions []engine.Action) error {
	p := s.now()
	mover := p.ToMove()
	for _, action := range actions {
		if p.ToMove() != mover {
			return errors.New("that is more than your turn")
		}
		p = p.Play(action)
	}
	return nil
}

// either joins some of the words: a list of hundreds helps nobody.
func either(words []string) string {
	const most = 8
	if len(words) > most {
		return strings.Join(words[:most], " or ") + fmt.Sprintf(", or one of %d more", len(words)-most)
	}
	return strings.Join(words, " or ")
}

func (s *session) list() {
	names := legalActions(s.now())
	if len(names) == 0 {
		fmt.Fprintln(s.out, "none: the game is over")
	}
	for i, name := range names {
		fmt.Fprintf(s.out, "%3d  %s\n", i+1, name)
	}
}

// undo goes back to where a human was last to move.
func (s *session) undo() {
	for n := len(s.actions) - 1; n >= 0; n-- {
		if s.seats[s.positions[n].ToMove()].player == nil {
			s.positions, s.actions = s.positions[:n+1], s.actions[:n]
			s.draw()
			return
		}
	}
	fmt.Fprintln(s.out, "there is nothing to take back")
}

// names are the names of actions played one after another from p.
func names(p engine.Position, actions []engine.Action) []string {
	var all []string
	for _, action := range actions {
		all = append(all, p.ActionString(action))
		p = p.Play(action)
	}
	return all
}
