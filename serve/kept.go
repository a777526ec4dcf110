package serve

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"dojo.example/engine"
	"dojo.example/internal/atomicfile"
	"dojo.example/internal/output"
	"dojo.example/play"
)

// keepGames makes the folder in which finished games are kept. One that cannot be written to
// is an error before somebody has played a game for nothing.
func keepGames(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return output.Try(filepath.Join(folder, "game.txt"))
}

// keep writes a game that was played to its end into the folder of kept games, in the form in
// which games are saved. It returns the file's name: the time and the game.
func (s *Server) keep(rules engine.Game, q play.Question) (any, error) {
	g, err := play.Follow(rules, q.Position, q.Moves)
	if err != nil {
		return nil, err
	}
	if g.Now().Outcome() == engine.Ongoing {
		return nil, errors.New("the game is not over")
	}
	name := time.Now().UTC().Format("20060102-150405.000000000-") + plain.Replace(rules.Name) + ".txt"
	return name, atomicfile.WriteBytes(filepath.Join(s.kept, name), []byte(g.String()))
}
