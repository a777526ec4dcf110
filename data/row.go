// Package data writes and reads the positions of self-play games. They are stored in shards, which
// are Parquet files. A shard holds whole games, one after another: a [Row] for each position, and a
// [Provenance] for the file. A row stores the position as text. Old games therefore remain useful
// when the input encoding of the networks changes, and the same files serve training, SQL and
// people. See docs/FORMAT.md.
//
// A file from an untrusted source cannot make the reader use much memory. The caller states how
// large the shard can be ([Limits]), and the reader checks all sizes that the file states before it
// reads a page.
package data

// SchemaVersion increases when the meaning of a column changes, or when a column that readers need
// is added or removed.
const SchemaVersion = 2

// Row is one position of a finished self-play game, with the targets for training a network on it.
type Row struct {
	Run        string `parquet:"run,dict" json:"run"`
	Generation int32  `parquet:"generation" json:"generation"`
	// Game is the number of the game in the run. It also selects the game's random numbers.
	Game      int64    `parquet:"game" json:"game"`
	Ply       int32    `parquet:"ply" json:"ply"`           // number of actions played before this position
	Position  string   `parquet:"position" json:"position"` // text of the position, from engine.Position.String
	Mover     int32    `parquet:"mover" json:"mover"`       // player to move: 0 is First, 1 is Second
	Action    int32    `parquet:"action" json:"action"`     // the action played
	Policy    []Weight `parquet:"policy,list" json:"policy"`
	Value     float32  `parquet:"value" json:"value"`           // value of the root for First, from -1 to 1
	Outcome   int32    `parquet:"outcome" json:"outcome"`       // outcome for First: 1, 0 or -1
	Margin    int32    `parquet:"margin" json:"margin"`         // First's final score minus Second's; 0 in a game without scores
	TurnsLeft int32    `parquet:"turns_left" json:"turns_left"` // number of actions from here to the end of the game, at least 1
	// Model is the hash of the checkpoint that played, or "uniform".
	Model string `parquet:"model,dict" json:"model"`
}

// Weight is an action with its probability in the improved policy that the search computed. The
// weights of a row sum to 1 and are sorted by action. Actions with probability 0 are left out.
type Weight struct {
	Action int32   `parquet:"action" json:"action"`
	Weight float32 `parquet:"weight" json:"weight"`
}

// Path returns the positions of a game's rows and the actions that were played in them.
func Path(rows []Row) (positions []string, actions []int32) {
	for _, r := range rows {
		positions, actions = append(positions, r.Position), append(actions, r.Action)
	}
	return positions, actions
}
