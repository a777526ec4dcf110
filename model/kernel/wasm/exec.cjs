// Runs a program that Go built for js/wasm in Node:
//
//	node exec.cjs PROGRAM [ARGUMENT]...
//
// Node 20 needs the option --experimental-wasm-relaxed-simd for relaxed vectors. To run tests:
//
//	GOOS=js GOARCH=wasm go test -exec "node --stack-size=8192 $PWD/model/kernel/wasm/exec.cjs" PACKAGE
"use strict";
const { execFileSync } = require("child_process");
const path = require("path");
Object.assign(globalThis, { require, fs: require("fs"), path });

const root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
require(path.join(root, "lib", "wasm", "wasm_exec.js"));
require("./kernels.js");

const go = new Go();
go.argv = process.argv.slice(2);
go.env = { TMPDIR: require("os").tmpdir(), ...process.env };
go.exit = process.exit;
dojoKernels(go);
WebAssembly.instantiate(fs.readFileSync(process.argv[2]), go.importObject).then(({ instance }) => {
	process.on("exit", (code) => {
		if (code !== 0 || go.exited) return;
		go._pendingEvent = { id: 0 }; // Node has no event left to wait for, so Go reports the deadlock
		go._resume();
	});
	return go.run(instance);
}).catch((error) => {
	console.error(error);
	process.exit(1);
});
