// Package wasm holds what package kernel needs in WebAssembly. The generator writes the modules.
// The script kernels.js lets a page load them together with a program that Go built for js/wasm.
// The script exec.cjs runs such a program in Node.
package wasm

import _ "embed" // the script

// Support is the script kernels.js. Every program that includes package kernel needs it. The
// program imports functions that this script defines, so without the script it cannot be
// instantiated.
//
//go:embed kernels.js
var Support []byte
