package deps

// The keys of both tables are packages of this module. A name ending in /...
// stands for every package below it; of several keys that fit a package, the
// longest holds. Test files are not bound.

// allowed lists, for each package, all it may import of this module. Packages
// of internal are open to all.
var allowed = map[string][]string{
	"engine":           {},
	"engine/...":       {"engine"},
	"mcts":             {"engine"},
	"model/kernel":     {},
	"model":            {"engine", "model/kernel"},
	"model/graph":      {"engine", "model", "model/kernel"},
	"data":             {},
	"run":              {"model"},
	"think":            {"engine", "mcts", "model"},
	"selfplay":         {"engine", "mcts", "model", "think", "data"},
	"arena":            {"engine", "mcts", "model", "think"},
	"analysis":         {"engine", "mcts"},
	"play":             {"engine"},
	"games":            {"engine", "engine/...", "mcts"},
	"train":            {"engine", "mcts", "model", "model/graph", "data", "run", "selfplay", "arena"},
	"bot":              {"engine", "games", "model", "run", "think"},
	"export/codingame": {"engine", "engine/onitama", "mcts", "model"},
	"export/onnx":      {"model", "model/kernel"},
	"export/web":       {"model"},
	"export/web/wasm":  {"analysis", "engine", "games", "model", "think"},
	"configs":          {"mcts", "model", "run", "selfplay", "train"},
	"sweep":            {"arena", "configs", "engine", "model", "run", "think", "train"},
	"docs":             {},
	"internal/...":     {},
	"cmd/dojo": {
		"analysis", "arena", "configs", "data", "docs", "engine", "engine/onitama", "export/codingame", "export/onnx",
		"export/web", "games", "mcts", "model", "model/graph", "model/kernel", "play", "run", "selfplay", "sweep", "think", "train",
	},
}

// pure is what a computation has no use for: it waits for nobody, reads no
// clock and no file, and tells nobody what it does.
var pure = []string{"context", "log", "log/...", "os", "os/...", "sync", "sync/...", "time"}

// forbidden lists what a package must not import of the standard library,
// itself or through packages of internal.
var forbidden = map[string][]string{
	"engine":            pure,
	"engine/...":        pure,
	"engine/enginetest": {"context", "log", "log/...", "sync", "sync/...", "time"}, // it reads golden files
	"mcts":              pure,
	"model/kernel":      {"context", "log", "log/...", "os/...", "sync", "sync/...", "time"}, // it reads DOJO_KERNEL
	"model":             {"log", "log/...", "sync", "sync/...", "time"},                      // it reads and writes checkpoints
	"think":             {"log", "log/...", "os", "os/...", "sync", "sync/..."},              // a budget has a time and a context
	"selfplay":          {"log", "log/...", "os", "os/...", "time"},                          // its workers are goroutines
	"data":              {"context", "log", "log/...", "sync", "sync/...", "time"},
	"analysis":          pure,
	"play":              pure,
	"internal/detmath":  pure,
	"...":               {"log", "log/..."},
	"cmd/...":           {},
}
