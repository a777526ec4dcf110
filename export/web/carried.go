//go:build carryweb

package web

import _ "embed"

// The folder carried exists only while a release is built. The flag -overlay of go build adds it to
// the sources.

//go:embed carried/dojo.wasm.gzip
var program []byte

//go:embed carried/wasm_exec.js
var runtime []byte

// carried holds the files that run the bot in a browser.
var carried = Runtime{program, runtime}
