package bot

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"dojo.example/engine"
	"dojo.example/internal/bounded"
	"dojo.example/internal/version"
	"dojo.example/search/think"
)

// AnswerGTP lets the thinker t play a game by the Go Text Protocol, version 2; see [engine.GTP]. It
// reads commands from r until r ends or the command quit arrives, and writes the answers to w. Each
// search has the given budget. If timed is true, the searches instead use the time that the commands
// time_settings and time_left allow, once such a command has arrived.
func AnswerGTP(ctx context.Context, t *think.Thinker, game engine.Game, r io.Reader, w io.Writer, budget think.Budget, timed bool) error {
	s := &gtpSession{game: game, notation: game.GTP, thinker: t, budget: budget, timed: timed}
	if err := s.clear(); err != nil {
		return err
	}
	in := bufio.NewReader(r)
	for !s.ended {
		line, err := in.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if answer := s.answer(ctx, line); answer != "" {
			if _, err := io.WriteString(w, answer); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// gtpSession is the state of a program that answers the commands of GTP.
type gtpSession struct {
	game     engine.Game
	notation *engine.GTP
	thinker  *think.Thinker
	budget   think.Budget
	timed    bool

	at     engine.Position
	before []engine.Position // positions before the commands that played an action, for undo
	games  uint64            // number of games so far, the seed of the current game
	clocks [2]gtpClock       // clocks of First and Second
	ended  bool              // the command quit has arrived
}

// answer executes the command in a line and returns the answer with its empty line. It returns "" if
// the line has no command.
func (s *gtpSession) answer(ctx context.Context, line string) string {
	line, _, _ = strings.Cut(line, "#")
	words := strings.Fields(line)
	id := ""
	if len(words) > 0 && strings.Trim(words[0], "0123456789") == "" {
		id, words = words[0], words[1:]
	}
	if len(words) == 0 {
		return ""
	}
	do, known := gtpCommands[words[0]]
	text, err := "", errors.New("unknown command")
	if known {
		text, err = do(s, ctx, words[1:])
	}
	if err != nil {
		return fmt.Sprintf("?%s %s\n\n", id, bounded.Clip(err.Error()))
	}
	return fmt.Sprintf("=%s %s\n\n", id, text)
}

// gtpCommands has the function of each command. The function gets the command's arguments.
var gtpCommands map[string]func(s *gtpSession, ctx context.Context, args []string) (string, error)

func init() { // the commands known_command and list_commands need the map themselves
	type arguments = []string
	type session = *gtpSession
	constant := func(text string) func(session, context.Context, arguments) (string, error) {
		return func(session, context.Context, arguments) (string, error) { return text, nil }
	}
	gtpCommands = map[string]func(session, context.Context, arguments) (string, error){
		"protocol_version": constant("2"),
		"name":             constant("dojo"),
		"version":          constant(version.String()),
		"known_command": func(_ session, _ context.Context, args arguments) (string, error) {
			_, known := gtpCommands[first(args)]
			return fmt.Sprint(known), nil
		},
		"list_commands": func(session, context.Context, arguments) (string, error) {
			var names []string
			for name := range gtpCommands {
				names = append(names, name)
			}
			slices.Sort(names)
			return strings.Join(names, "\n"), nil
		},
		"list_games": func(s session, _ context.Context, _ arguments) (string, error) { return s.notation.Game, nil },
		"set_game":   func(s session, _ context.Context, args arguments) (string, error) { return "", s.setGame(args) },
		"boardsize":  func(s session, _ context.Context, args arguments) (string, error) { return "", s.boardsize(args) },
		"komi":       constant(""), // no game here has a komi; front ends send 0
		"quit": func(s session, _ context.Context, _ arguments) (string, error) {
			s.ended = true
			return "", nil
		},
		"clear_board": func(s session, _ context.Context, _ arguments) (string, error) { return "", s.clear() },
		"play":        func(s session, _ context.Context, args arguments) (string, error) { return "", s.play(args) },
		"genmove": func(s session, ctx context.Context, args arguments) (string, error) {
			return s.genmove(ctx, args, true)
		},
		"reg_genmove": func(s session, ctx context.Context, args arguments) (string, error) {
			return s.genmove(ctx, args, false)
		},
		"undo":          func(s session, _ context.Context, _ arguments) (string, error) { return "", s.undo() },
		"showboard":     func(s session, _ context.Context, _ arguments) (string, error) { return s.showboard(), nil },
		"final_score":   func(s session, _ context.Context, _ arguments) (string, error) { return s.finalScore() },
		"time_settings": func(s session, _ context.Context, args arguments) (string, error) { return "", s.timeSettings(args) },
		"time_left":     func(s session, _ context.Context, args arguments) (string, error) { return "", s.timeLeft(args) },
	}
}

// first returns the first argument of a command, or "" if there is none.
func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}

func (s *gtpSession) setGame(args []string) error {
	if name := strings.Join(args, " "); !strings.EqualFold(name, s.notation.Game) {
		return fmt.Errorf("unsupported game %s; this program plays %s", bounded.Quote(name), s.notation.Game)
	}
	return s.clear()
}

func (s *gtpSession) boardsize(args []string) error {
	if want := fmt.Sprint(s.notation.Size); first(args) != want {
		return fmt.Errorf("unacceptable size %s; %s has the size %s", bounded.Quote(first(args)), s.notation.Game, want)
	}
	return s.clear()
}

// clear begins a new game.
func (s *gtpSession) clear() (err error) {
	s.games++
	s.thinker.NewGame(s.games)
	s.before = s.before[:0]
	s.at, err = s.game.FirstPosition(rand.New(rand.NewPCG(1, 1))) // games with this notation have one start
	for i := range s.clocks {
		s.clocks[i].reset()
	}
	return err
}

// turn returns the position in which it is the turn of the player with a colour. If the player to
// move can only pass and the protocol skips such passes, turn plays them.
func (s *gtpSession) turn(colour string) (engine.Position, error) {
	player, err := engine.ParseGTPColour(colour)
	if err != nil {
		return nil, err
	}
	p := s.at
	for p.ToMove() != player && p.Outcome() == engine.Ongoing {
		pass, forced := s.notation.ForcedPass(p)
		if !forced {
			return nil, fmt.Errorf("illegal move: it is the turn of %s", engine.GTPColour(p.ToMove()))
		}
		p = p.Play(pass)
	}
	if p.Outcome() != engine.Ongoing {
		return nil, errors.New("illegal move: the game is over")
	}
	return p, nil
}

// advance makes the position after action a of p the current position.
func (s *gtpSession) advance(p engine.Position, a engine.Action) {
	s.before = append(s.before, s.at)
	s.at = p.Play(a)
}

func (s *gtpSession) play(args []string) error {
	if len(args) != 2 {
		return errors.New("syntax error: want play COLOUR MOVE")
	}
	p, err := s.turn(args[0])
	if err != nil {
		return err
	}
	a, err := s.notation.ActionAt(p, args[1])
	if err != nil {
		return fmt.Errorf("illegal move: %w", err)
	}
	s.advance(p, a)
	return nil
}

// genmove searches an action and returns its name. It plays the action if plays is true.
func (s *gtpSession) genmove(ctx context.Context, args []string, plays bool) (string, error) {
	p, err := s.turn(first(args))
	if err != nil {
		return "", err
	}
	began := time.Now()
	if _, err := s.thinker.Think(ctx, p, s.budgetOf(p.ToMove())); err != nil {
		return "", err
	}
	a := s.thinker.Choose()
	if plays {
		s.clocks[p.ToMove()].spend(time.Since(began))
		s.advance(p, a)
	}
	return strings.ToUpper(s.notation.VertexOf(p, a)), nil
}

// budgetOf returns the budget of the next search for a player.
func (s *gtpSession) budgetOf(player engine.Player) think.Budget {
	if t := s.clocks[player].turn(); s.timed && t > 0 {
		return think.Budget{Time: t}
	}
	return s.budget
}

func (s *gtpSession) undo() error {
	n := len(s.before)
	if n == 0 {
		return errors.New("cannot undo")
	}
	s.at, s.before = s.before[n-1], s.before[:n-1]
	return nil
}

// showboard returns the board as text.
func (s *gtpSession) showboard() string {
	text := s.at.String()
	if d, ok := s.at.State().(engine.Drawer); ok {
		text = strings.TrimRight(d.Draw(), "\n")
	}
	return "\n" + text
}

// finalScore returns the lead of the winner in points, such as B+12, or 0 for a draw.
func (s *gtpSession) finalScore() (string, error) {
	points := engine.ScoreOf(s.at.State())
	switch {
	case s.at.Outcome() == engine.Ongoing:
		return "", errors.New("cannot score: the game is not over")
	case points == nil:
		return "", errors.New("cannot score: the game has no points")
	}
	switch lead := points[engine.First] - points[engine.Second]; cmp.Compare(lead, 0) {
	case 1:
		return fmt.Sprintf("B+%d", lead), nil
	case -1:
		return fmt.Sprintf("W+%d", -lead), nil
	}
	return "0", nil
}
