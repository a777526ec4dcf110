// Package serve shows runs in the browser: a dashboard that updates while a run trains, every game
// of a run, and a board for play and analysis. It reads the folders of runs. It writes nothing
// except finished games, and these only if the user names a folder for them.
//
// # The HTTP interface
//
// All values are from the side of the player First, in [-1, 1]. The id of a run is the name of its
// folder, with a number appended if another run has the same name. Answers are JSON. An error is
// {"error": "one line"} with a status of 400 or more.
//
//	GET /                              the pages of package web
//	GET /NAME                          a file of the pages; site.json says what the server offers
//
//	GET /api/runs?since=CLOCK          {"clock","ids":["…"],"runs":[Snapshot, …]}: the changes
//	                                   since an earlier answer, see below
//	GET /api/runs/RUN/games            a list of the run's games: [GameList]
//	      ?source=selfplay|gate          (default: selfplay)
//	      &generation=12|all             (default: the newest generation with games)
//	      &sort=number|length|swing|surprise  (default: number)
//	      &order=up|down                 (default: up)
//	      &winner=first|second|draw      (default: all)
//	      &lost=candidate                only games of gate matches that the new model lost
//	      &boards=true                   with the most interesting position of each game
//	      &offset=0&limit=50             at most 200 games, or 50 with boards
//	GET  /api/runs/RUN/games/SOURCE/GENERATION/NUMBER
//	                                   one game with all its positions: [Game]
//	POST /api/runs/RUN/games/SOURCE/GENERATION/NUMBER
//	                                   the players' opinions, recomputed: [Thoughts]
//
//	POST /api/runs/RUN/watch           {"game","position","moves","simulations"} -> opinions of the
//	                                   run's models, spaced over the generations: [Watched]
//
//	GET  /api/models                   [{"id","name","game","about","run","usual","title"}, …]; usual
//	                                   is true if the game has a standard start besides random ones;
//	                                   title is the common name of the game: {"en","vi"}
//	POST /api/rules                    {"game","language"} -> the rules for players as Markdown, a
//	                                   string; "" if the game has no text of its rules
//	POST /api/start                    {"game","seed","usual"} -> the first position of a game: the
//	                                   standard start if usual is true and the game has one, else a
//	                                   random start
//	POST /api/follow                   {"game","position","moves":["…"]} -> the given position and
//	                                   the position after each move
//	POST /api/read                     {"game","text"} -> the positions of a saved game
//	POST /api/write                    {"game","position","moves"} -> the game as text to save
//	POST /api/keep                     {"game","position","moves"} -> saves a finished game and returns
//	                                   the name of its file; only with [Options.Games]
//	POST /api/analyse                  {"model","game","position","moves","simulations","time_ms"} ->
//	                                   lines of JSON while the search runs: [analysis.Growth]
//
// Positions are of type [analysis.Position] with sketch and drawing.
//
// A search of /api/analyse ends when its budget is used up: simulations, time_ms or both, and at
// most [MaxTime]. It also ends immediately when the client hangs up, so a page cancels a search by
// aborting the fetch. If the request names no model, the server uses the first model of the game.
// The last line of the answer has "done": true or is {"error": …}. All searches with one model
// share an [analysis.Analyser] and its batches.
//
// # A run that grows
//
// An answer of /api/runs contains the ids of all runs, and a [Snapshot] of each run that has
// changed since the answer with the given clock value. The client keeps the generations below
// Snapshot.From, and replaces all others. Without a clock value, or with a value of an earlier
// server, the answer contains everything, and From is 0. A visible page asks once a second. It
// holds no connection open, because a browser opens at most six connections to a server for all its
// tabs together.
//
// # Access
//
// The Host header of a request must be a name of this server, and its Origin header, if any, must
// match. Otherwise pages of other sites could use the server through the browser. On a loopback
// address the server checks nothing else, unless [Options.Token] is set. On any other address,
// everybody can send GET requests, but POST requests make the server compute, so they need the
// header "Authorization: Bearer TOKEN". The printed address contains the token after # (#token=…),
// unless the user named it. Browsers do not send this part of an address to the server. The page
// reads the token from the address and stores it for the browser session.
//
// # Behind a proxy
//
// With [Options.BasePath], all paths above begin with that path, and no other path exists except
// those of [Options.Health]. The pages use relative addresses, so they work below any path. A proxy
// that [Options.Trusted] names tells the host name and the scheme that the browser used, in the
// headers X-Forwarded-Host and X-Forwarded-Proto. The host name must still be a name of this
// server. If the scheme is known, the Origin header must have the same one. The server uses no
// other header of proxies. The answer of /api/analyse tells proxies not to collect its lines.
//
// The server limits the sizes of bodies, headers and answers, all times, and the number of
// searches; see the constants. It never uses a part of a request as a file path. It looks up runs,
// games, generations and page files by name.
package serve

import "time"

// Limits of requests and searches.
const (
	MaxBody  = 64 << 10 // bytes in the body of a request
	MaxMoves = 1024     // moves in a request
	// MaxSearches is how many requests with a search the server handles at a time. It answers
	// further ones with status 503.
	MaxSearches    = 8
	MaxTime        = 10 * time.Minute // duration of a search
	MaxSimulations = 10_000_000       // number of simulations of a search

	WriteTimeout = 20 * time.Second // time to write an answer, or a line of a streamed answer
)
