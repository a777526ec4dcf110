//go:build carryweb

package web

import _ "embed"

// A release is built with an overlay that lays a folder carried over the sources.

//go:embed carried/dojo.wasm.gzip
var program []byte

//go:embed carried/wasm_exec.js
var runtime []byte

// carried is what this program carries to play in the browser.
var carried = Runtime{program, runtime}
