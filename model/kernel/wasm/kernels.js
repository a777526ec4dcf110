// Gives a program that Go built for js/wasm the vectors of WebAssembly, which Go's
// compiler does not use: dojoKernels(go) is called before the program is instantiated with
// go.importObject. The program brings modules along, of which each computes whole layers
// of a network on the program's own memory, and calls their functions through here. A
// module that this engine cannot run is refused, and the program computes in plain code.
globalThis.dojoKernels = (go) => {
	const modules = [];
	go.importObject.dojo = {
		// load takes the place of a module in memory and returns its number, or -1.
		load(address, length) {
			const memory = go._inst.exports.mem;
			const bytes = new Uint8Array(memory.buffer, address, length).slice();
			try {
				const module = new WebAssembly.Module(bytes);
				return modules.push(new WebAssembly.Instance(module, { go: { mem: memory } }).exports) - 1;
			} catch {
				return -1;
			}
		},
		conv3: (module, args) => modules[module].conv3(args),
		conv1: (module, args) => modules[module].conv1(args),
		floats: (module, args) => modules[module].floats(args),
		columns: (module, args) => modules[module].columns(args),
		logits: (module, args) => modules[module].logits(args),
		round: (module, args) => modules[module].round(args),
		fused: (module, args) => modules[module].fused(args),
	};
};
