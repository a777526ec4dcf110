// Package web embeds the web pages for playing, analysing and watching runs. Their sources are in
// src: TypeScript with Preact. "npm run build" writes dist, which is committed so that Go programs
// need no Node.
//
// The program that serves the pages also serves a file site.json, a [Site] as JSON. It tells the
// pages whether their back end is the server of "dojo serve" or, in a static export, the bot itself
// in WebAssembly.
package web

import (
	"embed"
	"io/fs"
)

//go:embed dist
var dist embed.FS

// Files returns the built pages: index.html and everything that it loads, in one folder.
func Files() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // impossible: the folder is embedded
	}
	return files
}

// Dashboard names the files that only the dashboard needs. A server and a report need them, but not
// an exported page.
var Dashboard = []string{"runs.js", "report.html"}

// SiteFile is the name of the file that holds a Site as JSON.
const SiteFile = "site.json"

// Policy is the content security policy of the pages. They may load code and styles only from their
// own site, and connect only to it. index.html contains the same policy.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"

// Site tells the pages what their back end can do.
type Site struct {
	Backend    string   `json:"backend" ts:"'worker' | 'server'"`
	Pages      []string `json:"pages"`           // pages in the navigation, such as "play", "runs" and "games"
	Keeps      bool     `json:"keeps,omitempty"` // whether the server keeps finished games
	Provenance []string `json:"provenance,omitempty"`
}
