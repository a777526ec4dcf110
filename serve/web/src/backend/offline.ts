// The service worker of a static export. After the first visit, the page also works offline. While
// there is a connection, all files come from the network, so that a page never mixes the files of
// two exports.
const files = ["./", ...built, "site.json", "wasm_exec.js", "kernels.js", "dojo.wasm.gzip", "model.safetensors.gzip"];

declare const built: string[]; // set by build.mjs: the files that the pages with boards load

// Each export on a site has its own cache.
const stored = () => caches.open(new URL(".", location.href).pathname);

async function fetched(request: Request): Promise<Response> {
	const cache = await stored();
	try {
		const response = await fetch(request);
		if (response.ok) await cache.put(request, response.clone());
		return response;
	} catch (e) {
		const kept = await cache.match(request, { ignoreSearch: true });
		if (!kept) throw e;
		return kept;
	}
}

addEventListener("install", (e: any) => e.waitUntil(stored().then((cache) => cache.addAll(files))));
addEventListener("fetch", (e: any) => {
	if (e.request.method === "GET") e.respondWith(fetched(e.request));
});
