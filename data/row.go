// Package data writes and reads the positions of self-play games. They are stored in
// shards, which are Parquet files. A shard has whole games, one after another, with a
// [Row] for each position, and a [Provenance]. A row has the position as text, so that
// old games remain useful if the encoding for networks changes, and so that the same
// files serve training, SQL and people. See docs/FORMAT.md.
//
// A file from outside decides nothing about memory: a reader says how large a shard can be
// ([Limits]), and everything that the file says of itself is checked before a page is read.
package data

// SchemaVersion is increased when a column changes its meaning, or when a column that readers
// need comes or goes.
const SchemaVersion = 2

// Row is a position of a finished self-play game, with the targets of training.
type Row struct {
	Run        string   `parquet:"run,dict" json:"run"`
	Generation int32    `parquet:"generation" json:"generation"`
	Game       int64    `parquet:"game" json:"game"`         // number of the game in the run, and of its random stream
	Ply        int32    `parquet:"ply" json:"ply"`           // actions played before this position
	Position   string   `parquet:"position" json:"position"` // as engine.Position.String writes it
	Mover      int32    `parquet:"mover" json:"mover"`       // 0 First, 1 Second
	Action     int32    `parquet:"action" json:"action"`     // the action played
	Policy     []Weight `parquet:"policy,list" json:"policy"`
	Value      float32  `parquet:"value" json:"value"`           // of the search's root, from First's side
	Outcome    int32    `parquet:"outcome" json:"outcome"`       // +1, 0, -1: of the game, from First's side
	Margin     int32    `parquet:"margin" json:"margin"`         // First's score less Second's at the end; 0 in a game without scores
	TurnsLeft  int32    `parquet:"turns_left" json:"turns_left"` // actions from here to the end of the game
	Model      string   `parquet:"model,dict" json:"model"`      // the checkpoint that played, or "uniform"
}

// Weight is an action and its probability in the improved policy. The weights of a
// row sum to 1 and are in the order of the actions; actions of weight 0 are left out.
type Weight struct {
	Action int32   `parquet:"action" json:"action"`
	Weight float32 `parquet:"weight" json:"weight"`
}

// Path returns the positions of the rows of a game and the actions played there.
func Path(rows []Row) (positions []string, actions []int32) {
	for _, r := range rows {
		positions, actions = append(positions, r.Position), append(actions, r.Action)
	}
	return positions, actions
}
