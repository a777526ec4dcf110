// Package serve shows runs in the browser: a dashboard that grows while a run
// writes, every game of a run, and positions to play and analyse. It reads the
// folders of runs and writes nothing but the games that people have played to the end, if it is
// given a folder for them.
//
// # The HTTP interface
//
// All values are First's, in [-1, 1]. A run is named by its id: the name of its folder, with a
// number appended if another run has that name. Answers are JSON; an error is
// {"error": "one line"} with a status of 400 or more.
//
//	GET /                              the pages of package web
//	GET /NAME                          a file of the pages; site.json says what the server has
//
//	GET /api/runs?since=CLOCK          {"clock","ids":["…"],"runs":[Snapshot, …]}: what has changed
//	                                   since an earlier answer, see below
//	GET /api/runs/RUN/games            the games of a run as a list: [GameList]
//	      ?source=selfplay|gate          (selfplay)
//	      &generation=12|all             (the newest that has any)
//	      &sort=number|length|swing|surprise  (number)  &order=up|down  (up)
//	      &winner=first|second|draw      (all)
//	      &lost=candidate                of a gate: games lost by the candidate
//	      &boards=true                   with a position of each to look at
//	      &offset=0&limit=50             at most 200; with boards 50
//	GET  /api/runs/RUN/games/SOURCE/GENERATION/NUMBER
//	                                   a game, position by position: [Game]
//	POST /api/runs/RUN/games/SOURCE/GENERATION/NUMBER
//	                                   what its players thought, computed again: [Thoughts]
//
//	POST /api/runs/RUN/watch           {"game","position","moves","simulations"} -> the position as the
//	                                   run's models see it, spaced over the generations: [Watched]
//
//	GET  /api/models                   [{"id","name","game","about","run","usual","title"}, …]; usual
//	                                   is true where the game has a usual start, and deals others;
//	                                   title is what people call the game: {"en","vi"}
//	POST /api/rules                    {"game","language"} -> the rules for players as Markdown, a
//	                                   string; "" if the game states none
//	POST /api/start                    {"game","seed","usual"} -> the first position of a game: if usual
//	                                   is true the usual one, where there is one, else a deal
//	POST /api/follow                   {"game","position","moves":["…"]} -> the positions: that one
//	                                   and the one after each move
//	POST /api/read                     {"game","text"} -> the positions of a saved game
//	POST /api/write                    {"game","position","moves"} -> the game as text to save
//	POST /api/keep                     {"game","position","moves"} -> the name of the file in which the
//	                                   game, which is over, is kept; only with [Options.Games]
//	POST /api/analyse                  {"model","game","position","moves","simulations","time_ms"} ->
//	                                   lines of JSON while the search grows: [Growth]
//
// Positions are [analysis.Position] with sketch and drawing. /api/analyse ends by
// itself when the budget is used up (simulations, time_ms, or both; at most
// [MaxTime]); a client that hangs up ends it at once, so that aborting the fetch is
// how a search is cancelled. Without a model it takes the first of the game. The
// last line has "done": true, or is {"error": …}. All searches with one model share an
// [analysis.Analyser] and its batches.
//
// # A run that grows
//
// An answer of /api/runs has the ids of all runs, and a [Snapshot] of each that has changed
// since the answer whose clock the request names. From says which generations the client
// replaces: all from that number on. Without a clock, or with one of a server that has ended,
// the answer has everything, with From 0. A page asks once a second while it is visible, and
// keeps no connection: browsers open six to a server for all their tabs together.
//
// # Who may ask
//
// The Host of a request must be a name of this server, and its Origin, if it has one, must
// be the same, so that pages of other sites cannot use the server through the browser. On a
// loopback address nothing else is checked. On any other address, GET requests are answered
// for everybody who reaches it, and every POST request, which computes, needs the header
// "Authorization: Bearer TOKEN". The address that is printed has the token after its #
// (#token=…), which browsers do not send: the page takes it from there and keeps it for the
// browser's session.
//
// The sizes of bodies, headers and answers, the times, and the number of searches are limited;
// see the constants. No part of a request is used as a path: runs, games, generations and files
// of the page are looked up in tables.
package serve

import "time"

// The bounds of what a client can ask for.
const (
	MaxBody        = 64 << 10         // bytes of a request's body
	MaxMoves       = 1024             // moves of a request
	MaxSearches    = 8                // requests that search at a time; more are answered 503
	MaxTime        = 10 * time.Minute // of a search
	MaxSimulations = 10_000_000       // of a search

	WriteTimeout = 20 * time.Second // for one answer, or one line of it
)
