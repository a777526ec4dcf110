// Lets a program that Go built for js/wasm use the vector instructions of WebAssembly, which Go's
// compiler does not use. Call dojoKernels(go) before instantiating the program with
// go.importObject. The program contains WebAssembly modules, whose functions have numbers as names
// and work on the program's own memory. The program loads and calls them through the two functions
// below. If the engine does not support a module, load returns -1, and the program uses plain Go
// instead.
globalThis.dojoKernels = (go) => {
	const modules = [];
	go.importObject.dojo = {
		// load loads the module at an address in the program's memory and returns its number, or
		// -1.
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
