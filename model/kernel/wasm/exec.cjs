// Runs a program that Go built for js/wasm in Node: node exec.cjs PROGRAM [ARGUMENT]...
// Node 20 has the relaxed vectors with --experimental-wasm-relaxed-simd only. For tests:
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
		go._pendingEvent = { id: 0 }; // Node has nothing left to wait for: Go reports what waits
		go._resume();
	});
	return go.run(instance);
}).catch((error) => {
	console.error(error);
	process.exit(1);
});
