// Package wasm holds what package kernel needs in WebAssembly: the modules that the
// generator writes, kernels.js, with which a page loads them beside a program that Go
// built for js/wasm, and exec.cjs, which runs such a program in Node.
package wasm

import _ "embed" // the script

// Support is kernels.js. Every program that has package kernel in it needs it: without
// the functions that the script adds to its imports it is not instantiated.
//
//go:embed kernels.js
var Support []byte
