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

// keepGames creates the folder for finished games and checks that it is writable. The server calls
// it at startup, before an unwritable folder can cost the user a finished game.
func keepGames(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return output.Try(filepath.Join(folder, "game.txt"))
}

// keep saves a finished game as a text file in the folder for finished games. It returns the file's
// name, which consists of the time and the name of the game.
func (s *Server) keep(rules engine.Game, q play.Question) (any, error) {
	g, err := play.Follow(rules, q.Position, q.Moves)
	if err != nil {
		return nil, err
	}
	if g.Now().Outcome() == engine.Ongoing {
		return nil, errors.New("the game is not over; only finished games can be saved")
	}
	name := time.Now().UTC().Format("20060102-150405.000000000-") + plain.Replace(rules.Name) + ".txt"
	return name, atomicfile.WriteBytes(filepath.Join(s.kept, name), []byte(g.String()))
}
