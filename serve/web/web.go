// Package web carries the pages that people play, analyse and watch runs in, as
// browsers load them. Their sources are in src, TypeScript with Preact; "npm run build"
// writes dist, which is committed so that Go programs need no Node.
//
// The pages learn from a file site.json beside them what is behind them: the server of
// "dojo serve", or in a static export the bot itself, in WebAssembly. The program
// that serves the pages writes that file as a [Site].
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files are the built pages: index.html and what it loads, all in one folder.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the folder is part of this program
	}
	return files
}

// Dashboard names the files that only the dashboard needs, of a server or in a report.
var Dashboard = []string{"runs.js", "report.html"}

// SiteFile is the name of the file that holds a Site as JSON.
const SiteFile = "site.json"

// Policy is the content security policy of the pages, which index.html carries too:
// no code, style or connection but the site's own.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"

// Site says what is behind the pages.
type Site struct {
	Backend    string   `json:"backend" ts:"'worker' | 'server'"`
	Pages      []string `json:"pages"`           // of "play", "runs" and "games": what the navigation shows
	Keeps      bool     `json:"keeps,omitempty"` // the server keeps finished games
	Provenance []string `json:"provenance,omitempty"`
}
