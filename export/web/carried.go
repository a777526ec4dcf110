//go:build carryweb

package web

import _ "embed"

// The release command lays a folder carried over the sources.

//go:embed carried/dojo.wasm.gzip
var program []byte

//go:embed carried/wasm_exec.js
var runtime []byte

// Carried returns what this program carries to play in the browser; nil if it was not
// built as a release.
func Carried() *Runtime { return &Runtime{program, runtime} }
