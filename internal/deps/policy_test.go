package deps

// The keys of the two tables below, allowed and forbidden, are packages of this module. A key that
// ends in /... matches every package below that path. If several keys match a package, the longest
// one applies. The rules do not apply to test files.

// allowed lists, for each package, which packages of this module it may import. In addition, every
// package may import the packages in internal.
var allowed = map[string][]string{
	"engine":                 {},
	"engine/...":             {"engine", "engine/fivebyfive", "engine/patterns"},
	"search/alphabeta":       {"engine"},
	"search/solve":           {"engine", "engine/onitama"},
	"search/solve/fourinrow": {"engine", "engine/connectfour", "search/solve"},
	"search/mcts":            {"engine"},
	"search/think":           {"engine", "search/mcts", "model"},
	"model/kernel":           {},
	"model/kernel/wasm":      {},
	"model":                  {"engine", "model/kernel"},
	"model/adamw":            {"model/kernel"},
	"model/loss":             {"engine", "model"},
	"model/graph":            {"engine", "model", "model/adamw", "model/kernel", "model/loss"},
	"data":                   {"engine"},
	"data/rundir":            {"model"},
	"data/audit":             {"data/rundir"},
	"arena":                  {"engine", "search/alphabeta", "search/mcts", "search/think", "model"},
	"games/box":              {"search/mcts", "search/think", "model", "data/rundir", "arena", "games"},
	"games":                  {"engine", "engine/...", "search/alphabeta", "search/mcts", "search/solve", "model"},
	"selfplay":               {"engine", "search/mcts", "search/think", "model", "data"},
	"train":                  {"engine", "search/mcts", "search/think", "model", "model/graph", "model/loss", "data", "data/audit", "data/rundir", "arena", "selfplay"},
	"configs":                {"search/mcts", "search/think", "model", "data", "data/rundir", "arena", "games", "selfplay", "train"},
	"configs/cost":           {"model", "train", "configs"},
	"configs/propose":        {"engine", "model", "data/rundir", "train", "configs", "configs/cost"},
	"cluster/hub":            {"model", "data", "data/audit", "data/rundir", "arena", "selfplay", "train", "cluster/wire", "cluster/worker"},
	"cluster/worker":         {"engine", "model", "model/kernel", "data", "data/rundir", "arena", "games", "selfplay", "train", "configs", "cluster/wire"},
	"cluster/wire":           {"data/rundir"},
	"play/analysis":          {"engine", "search/mcts", "search/think"},
	"play":                   {"engine", "play/analysis"},
	"play/terminal":          {"engine", "search/think", "data", "data/rundir", "arena", "play", "play/analysis"},
	"play/bot":               {"engine", "search/mcts", "search/think", "model", "games", "games/box", "play/analysis"},
	"play/puzzles":           {"engine", "search/think", "data", "data/rundir", "play", "play/analysis"},
	"serve":                  {"engine", "search/think", "model", "data", "data/rundir", "games", "selfplay", "train", "configs", "play", "play/analysis", "serve/web"},
	"serve/web":              {},
	"export/binary":          {"model", "games/box"},
	"export/codingame":       {"engine", "engine/onitama", "search/mcts", "search/think", "model", "model/kernel", "train"},
	"export/onnx":            {"engine", "model"},
	"export/web":             {"model", "model/kernel/wasm", "serve/web"},
	"export/web/wasm":        {"engine", "search/think", "model", "model/kernel", "games", "play", "play/analysis"},
	"cli/bench":              {"engine", "search/mcts", "search/think", "model", "model/graph", "model/kernel", "data", "games", "games/box", "selfplay", "configs"},
	"cli/sweep":              {"search/mcts", "search/think", "model", "data/rundir", "arena", "games", "games/box", "train", "configs", "configs/cost"},
	"cli/tune":               {},
	"cli/inspect":            {"search/think", "data", "data/rundir", "arena", "games", "games/box", "train", "configs", "play/terminal"},
	"cli/verify":             {"model", "data/rundir", "games/box", "train", "configs"},
	"cli/measure": {
		"engine", "engine/connectfour", "engine/onitama", "search/mcts", "search/solve", "search/solve/fourinrow", "search/think", "model",
		"data/rundir", "arena", "games", "games/box", "train", "cluster/hub", "play/terminal", "cli/sweep", "cli/tune",
	},
	"cli": {
		"engine", "engine/connectfour", "engine/onitama", "search/mcts", "search/think", "model", "model/kernel", "data/rundir", "arena",
		"games", "games/box", "train", "configs", "configs/propose", "cluster/hub", "cluster/wire", "cluster/worker", "play", "play/analysis",
		"play/bot", "play/puzzles", "play/terminal", "serve", "export/binary", "export/codingame", "export/onnx", "export/web",
		"cli/bench", "cli/inspect", "cli/measure", "cli/sweep", "cli/tune", "cli/verify",
	},
	".":            {"export/web/wasm", "cli"},
	"cmd/dojo":     {},
	"internal/...": {},
}

// pure lists the packages of the standard library that pure computations must not import: such code
// does not wait, read clocks or files, or write logs.
var pure = []string{"context", "log", "log/...", "os", "os/...", "sync", "sync/...", "time"}

// forbidden lists, for each package, which packages of the standard library it must not import,
// either directly or through packages in internal.
var forbidden = map[string][]string{
	"engine":                 pure,
	"engine/...":             pure,
	"engine/enginetest":      {"context", "log", "log/...", "sync", "sync/...", "time"}, // may use os, to read golden files
	"search/alphabeta":       pure,
	"search/mcts":            pure,
	"model/kernel":           {"context", "log", "log/...", "os/...", "sync", "sync/...", "time"}, // may use os, to read the environment variable DOJO_KERNEL
	"model":                  {"log", "log/...", "sync", "sync/...", "time"},                      // may use os, to read and write checkpoints
	"search/solve":           {"log", "log/...", "os", "os/...", "time"},                          // may use sync and context, because its workers are goroutines
	"search/solve/fourinrow": pure,
	"search/think":           {"log", "log/...", "os", "os/...", "sync", "sync/..."}, // may use time and context, to limit a search
	"selfplay":               {"log", "log/...", "os", "os/...", "time"},             // may use sync and context, because its workers are goroutines
	"data":                   {"context", "log", "log/...", "sync", "sync/...", "time"},
	"play/analysis":          {"log", "log/...", "os", "os/..."}, // may use sync and context, because it runs several searches at the same time
	"play":                   pure,
	"internal/detmath":       pure,
	"internal/health":        {}, // may use log, because the server of net/http needs a logger and gets one that writes nothing
	"internal/logs":          {},
	"internal/certificate":   {"log"}, // may use log/slog, to log when a file changes
	"internal/natsclient":    {"log"}, // may use log/slog, to log the errors of connections
	"serve":                  {},      // may use log, for the same reason as internal/health
	"...":                    {"log", "log/..."},
	"cluster/...":            {"log"}, // may use log/slog, to log what happens on other machines
	"cli":                    {},
	".":                      {},
	"cmd/...":                {},
}
