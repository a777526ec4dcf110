package train

import (
	"fmt"

	"dojo/internal/atomicfile"
	"dojo/internal/regular"
	"dojo/selfplay"
)

// maxStarts is the most bytes that a list of starts may have; 128 starts of Onitama have
// some 15,000.
const maxStarts = 1 << 28

// starts returns the list of positions from which games of generation g begin; nil if it
// is empty or games do not restart. It comes from the newest generation that is sure to be
// committed when these games are played.
func (o *Options) starts(g int) (*selfplay.Starts, error) {
	from := g - 1 - o.Train.Lag
	if o.Selfplay.RestartedGames() == 0 || from < 0 {
		return nil, nil
	}
	path := o.Folder.Starts(from)
	file, err := regular.Read(path, maxStarts)
	if err != nil {
		return nil, fmt.Errorf("starts of generation %d: %w", g, err)
	}
	if len(file) == 0 { // no search favoured who lost
		return nil, nil
	}
	s, err := selfplay.ParseStarts(o.Game, file)
	if err != nil {
		return nil, fmt.Errorf("starts of generation %d: %s: %w", g, path, err)
	}
	return s, nil
}

// saveStarts writes the list of starts that come from generation g, if later games begin
// from such. The games of g are in the window.
func (r *Run) saveStarts(g int) error {
	if r.opt.Selfplay.RestartedGames() == 0 {
		return nil
	}
	return atomicfile.WriteBytes(r.opt.Folder.Starts(g), r.window.generations[g].surprises)
}
