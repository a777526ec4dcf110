// Gives a program that Go built for js/wasm the vectors of WebAssembly, which Go's
// compiler does not use: dojoKernels(go) is called before the program is instantiated with
// go.importObject. The program brings modules along, whose functions, exported by their
// numbers, work on the program's own memory, and calls them through here. A
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
		call: (module, kernel, args) => modules[module][kernel](args),
	};
};
