// Package data keeps self-play on disk as Parquet: one [Row] a position, a
// shard of whole games a file. A row keeps the position as text, not as
// planes: a better encoding needs no new games, and the same files serve
// training, SQL and a debugger's eye. See docs/FORMAT.md.
package data

// SchemaVersion grows when the meaning of a column changes, or one goes that
// readers cannot do without. A new column that older shards may lack is marked
// dojo:"optional" and leaves the version as it is.
const SchemaVersion = 2

// Row is one position of a finished self-play game with its targets.
type Row struct {
	Run        string   `parquet:"run,dict" json:"run"`
	Generation int32    `parquet:"generation" json:"generation"`
	Game       int64    `parquet:"game" json:"game"`         // within the run; also the game's random stream
	Ply        int32    `parquet:"ply" json:"ply"`           // actions played before this position
	Position   string   `parquet:"position" json:"position"` // as engine.Position.String writes it
	Mover      int32    `parquet:"mover" json:"mover"`       // 0 First, 1 Second
	Action     int32    `parquet:"action" json:"action"`     // the action played
	Policy     []Weight `parquet:"policy,list" json:"policy"`
	Value      float32  `parquet:"value" json:"value"`                   // of the search's root, from First's side
	Outcome    int32    `parquet:"outcome" json:"outcome"`               // +1, 0, -1: of the game, from First's side
	Margin     int32    `parquet:"margin" json:"margin" dojo:"optional"` // First's score less Second's at the end; 0 in a game without scores
	TurnsLeft  int32    `parquet:"turns_left" json:"turns_left"`         // actions from here to the end of the game
	Model      string   `parquet:"model,dict" json:"model"`              // the checkpoint that played, or "uniform"
}

// Weight is an action and its share of the improved policy; the weights of a
// row sum to 1, actions increase, and those without weight are left out.
type Weight struct {
	Action int32   `parquet:"action" json:"action"`
	Weight float32 `parquet:"weight" json:"weight"`
}
