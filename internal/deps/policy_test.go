package deps

// The keys of both tables are packages of this module. A name ending in /...
// stands for every package below it; of several keys that fit a package, the
// longest holds. Test files are not bound.

// allowed lists, for each package, all it may import of this module. Packages
// of internal are open to all.
var allowed = map[string][]string{
	"engine":            {},
	"engine/...":        {"docs", "engine", "engine/fivebyfive"},
	"search/alphabeta":  {"engine"},
	"search/solve":      {"engine", "engine/onitama"},
	"search/mcts":       {"engine"},
	"model/kernel":      {},
	"model/kernel/wasm": {},
	"model":             {"engine", "search/mcts", "model/kernel"},
	"model/graph":       {"engine", "model", "model/kernel"},
	"data":              {"engine"},
	"data/rundir":       {"model"},
	"games/box":         {"arena", "engine", "games", "search/mcts", "model", "data/rundir", "search/think"},
	"search/think":      {"engine", "search/mcts", "model"},
	"selfplay":          {"engine", "search/mcts", "model", "search/think", "data"},
	"arena":             {"search/alphabeta", "engine", "search/mcts", "model", "search/think"},
	"play/analysis":     {"engine", "search/mcts", "search/think"},
	"play":              {"play/analysis", "engine"},
	"play/terminal":     {"play/analysis", "arena", "data", "engine", "play", "data/rundir", "search/think"},
	"games":             {"search/alphabeta", "engine", "engine/...", "search/mcts", "model", "search/solve"},
	"train":             {"engine", "search/mcts", "model", "model/graph", "data", "data/rundir", "selfplay", "arena", "search/think"},
	"play/bot":          {"play/analysis", "engine", "games", "search/mcts", "model", "games/box", "search/think"},
	"export/binary":     {"model", "games/box"},
	"export/codingame":  {"engine", "engine/onitama", "search/mcts", "model", "model/kernel", "search/think", "train"},
	"export/onnx":       {"engine", "model"},
	"export/web":        {"model", "model/kernel/wasm", "serve/web"},
	"export/web/wasm":   {"play/analysis", "engine", "games", "model", "model/kernel", "play", "search/think"},
	"configs":           {"arena", "data", "games", "search/mcts", "model", "data/rundir", "selfplay", "search/think", "train"},
	"configs/cost":      {"configs", "model", "train"},
	"configs/propose":   {"configs", "configs/cost", "engine", "model", "data/rundir", "train"},
	"cluster":           {"arena", "configs", "data", "engine", "games", "model", "model/kernel", "data/rundir", "selfplay", "train"},
	"serve":             {"play/analysis", "configs", "data", "engine", "games", "model", "play", "data/rundir", "selfplay", "search/think", "train", "serve/web"},
	"cli/bench":         {"configs", "data", "engine", "games", "search/mcts", "model", "model/graph", "model/kernel", "games/box", "selfplay", "search/think"},
	"cli/sweep":         {"arena", "configs", "configs/cost", "engine", "games", "search/mcts", "model", "games/box", "data/rundir", "search/think", "train"},
	"cli/tune":          {},
	"cli/inspect":       {"arena", "configs", "data", "games", "games/box", "play/terminal", "data/rundir", "search/think", "train"},
	"play/puzzles":      {"play/analysis", "data", "engine", "play", "data/rundir", "search/think"},
	"cli/verify":        {"arena", "configs", "model", "games/box", "data/rundir", "train"},
	"cli/measure":       {"arena", "cli/bench", "cluster", "engine/onitama", "games", "search/mcts", "model", "games/box", "play/terminal", "data/rundir", "search/solve", "cli/sweep", "search/think", "train", "cli/tune"},
	"docs":              {"engine"},
	"serve/web":         {},
	"internal/...":      {},
	".":                 {"cli", "export/web/wasm"},
	"cmd/dojo":          {},
	"cli": {
		"play/analysis", "arena", "cli/bench", "play/bot", "cluster", "configs", "configs/propose", "engine", "engine/onitama", "export/binary", "export/codingame", "export/onnx",
		"export/web", "games", "cli/inspect", "search/mcts", "cli/measure", "model", "model/kernel", "games/box", "play", "play/terminal", "play/puzzles", "data/rundir", "serve", "cli/sweep", "search/think", "train", "cli/tune", "cli/verify",
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
	"search/alphabeta":  pure,
	"search/mcts":       pure,
	"model/kernel":      {"context", "log", "log/...", "os/...", "sync", "sync/...", "time"}, // it reads DOJO_KERNEL
	"model":             {"log", "log/...", "sync", "sync/...", "time"},                      // it reads and writes checkpoints
	"search/solve":      {"log", "log/...", "os", "os/...", "time"},                          // its workers are goroutines
	"search/think":      {"log", "log/...", "os", "os/...", "sync", "sync/..."},              // a budget has a time and a context
	"selfplay":          {"log", "log/...", "os", "os/...", "time"},                          // its workers are goroutines
	"data":              {"context", "log", "log/...", "sync", "sync/...", "time"},
	"play/analysis":     {"log", "log/...", "os", "os/..."}, // its searches run beside each other
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
