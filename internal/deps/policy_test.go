package deps

// The keys of both tables are packages of this module. A name ending in /...
// stands for every package below it; of several keys that fit a package, the
// longest holds. Test files are not bound.

// allowed lists, for each package, all it may import of this module. Packages
// of internal are open to all.
var allowed = map[string][]string{
	"engine":            {},
	"engine/...":        {"docs", "engine", "engine/fivebyfive"},
	"alphabeta":         {"engine"},
	"solve":             {"engine", "engine/onitama"},
	"mcts":              {"engine"},
	"model/kernel":      {},
	"model/kernel/wasm": {},
	"model":             {"engine", "mcts", "model/kernel"},
	"model/graph":       {"engine", "model", "model/kernel"},
	"data":              {"engine"},
	"run":               {"model"},
	"models":            {"arena", "engine", "games", "mcts", "model", "run", "think"},
	"think":             {"engine", "mcts", "model"},
	"selfplay":          {"engine", "mcts", "model", "think", "data"},
	"arena":             {"alphabeta", "engine", "mcts", "model", "think"},
	"analysis":          {"engine", "mcts", "think"},
	"play":              {"analysis", "engine"},
	"play/terminal":     {"analysis", "arena", "data", "engine", "play", "run", "think"},
	"games":             {"alphabeta", "engine", "engine/...", "mcts", "model", "solve"},
	"train":             {"engine", "mcts", "model", "model/graph", "data", "run", "selfplay", "arena", "think"},
	"bot":               {"analysis", "engine", "games", "mcts", "model", "models", "think"},
	"export/binary":     {"model", "models"},
	"export/codingame":  {"engine", "engine/onitama", "mcts", "model", "model/kernel", "think", "train"},
	"export/onnx":       {"engine", "model"},
	"export/web":        {"model", "model/kernel/wasm", "web"},
	"export/web/wasm":   {"analysis", "engine", "games", "model", "model/kernel", "play", "think"},
	"configs":           {"arena", "data", "games", "mcts", "model", "run", "selfplay", "think", "train"},
	"configs/cost":      {"configs", "model", "train"},
	"configs/propose":   {"configs", "configs/cost", "engine", "model", "run", "train"},
	"cluster":           {"arena", "configs", "data", "engine", "games", "model", "model/kernel", "run", "selfplay", "train"},
	"serve":             {"analysis", "configs", "data", "engine", "games", "model", "play", "run", "selfplay", "think", "train", "web"},
	"bench":             {"configs", "data", "engine", "games", "mcts", "model", "model/graph", "model/kernel", "models", "selfplay", "think"},
	"sweep":             {"arena", "configs", "configs/cost", "engine", "games", "mcts", "model", "models", "run", "think", "train"},
	"tune":              {},
	"inspect":           {"arena", "configs", "data", "games", "models", "play/terminal", "run", "think", "train"},
	"puzzles":           {"analysis", "data", "engine", "play", "run", "think"},
	"verify":            {"arena", "configs", "model", "models", "run", "train"},
	"measure":           {"arena", "bench", "cluster", "engine/onitama", "games", "mcts", "model", "models", "play/terminal", "run", "solve", "sweep", "think", "train", "tune"},
	"docs":              {"engine"},
	"web":               {},
	"internal/...":      {},
	".":                 {"cli", "export/web/wasm"},
	"cmd/dojo":          {},
	"cli": {
		"analysis", "arena", "bench", "bot", "cluster", "configs", "configs/propose", "engine", "engine/onitama", "export/binary", "export/codingame", "export/onnx",
		"export/web", "games", "inspect", "mcts", "measure", "model", "model/kernel", "models", "play", "play/terminal", "puzzles", "run", "serve", "sweep", "think", "train", "tune", "verify",
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
	"alphabeta":         pure,
	"mcts":              pure,
	"model/kernel":      {"context", "log", "log/...", "os/...", "sync", "sync/...", "time"}, // it reads DOJO_KERNEL
	"model":             {"log", "log/...", "sync", "sync/...", "time"},                      // it reads and writes checkpoints
	"solve":             {"log", "log/...", "os", "os/...", "time"},                          // its workers are goroutines
	"think":             {"log", "log/...", "os", "os/...", "sync", "sync/..."},              // a budget has a time and a context
	"selfplay":          {"log", "log/...", "os", "os/...", "time"},                          // its workers are goroutines
	"data":              {"context", "log", "log/...", "sync", "sync/...", "time"},
	"analysis":          {"log", "log/...", "os", "os/..."}, // its searches run beside each other
	"play":              pure,
	"internal/detmath":  pure,
	"internal/logs":     {},
	"serve":             {}, // the server of net/http wants a log to write to, and is given one that is silent
	"...":               {"log", "log/..."},
	"cluster":           {"log"}, // its log is what it tells of other machines
	"cli":               {},
	".":                 {},
	"cmd/...":           {},
}
