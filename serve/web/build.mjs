// This script writes dist, the pages in the form that browsers load: node build.mjs [FOLDER]. The
// result depends only on the sources and on the exact versions in package.json.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.argv[2] ?? join(here, "dist");
await mkdir(dist, { recursive: true });
for (const name of await readdir(dist)) await rm(join(dist, name));

const common = {
	absWorkingDir: here,
	outdir: dist,
	bundle: true,
	minify: true,
	target: "es2022",
	charset: "utf8",
	preserveSymlinks: true, // node_modules may be a link to another folder
	jsx: "automatic",
	jsxImportSource: "preact",
	legalComments: "none",
	logLevel: "warning",
};
// Build the shell, which loads the dashboard or the pages with boards. Code that several of these
// three parts share goes to a file whose name joins the names of these parts. So the file names in
// dist are the same in every version, and "dojo export" can recognise an earlier export by its file
// names.
const { metafile, outputFiles } = await build({ ...common, metafile: true, format: "esm", splitting: true, write: false,
	entryPoints: { app: "src/app.tsx", runs: "src/pages/runs.tsx", table: "src/pages/table.ts",
		style: "src/style.css" } });
const outputs = Object.entries(metafile.outputs);
const uses = (output, chunk) =>
	output.imports.some((i) =>
		i.kind === "import-statement" && (i.path === chunk || uses(metafile.outputs[i.path], chunk))
	);
const names = outputs.filter(([, o]) => !o.entryPoint).map((
	[chunk],
) => [
	basename(chunk),
	`${
		outputs.filter(([, o]) => o.entryPoint && uses(o, chunk)).map(([name]) => basename(name, ".js")).sort().join("-")
	}.js`,
]);
// withLight splits rules that use light-dark(): browsers without light-dark() get the light
// colours, and other browsers also get both colours from a separate rule. It expects that :root
// declares all colours.
function withLight(css) {
	return css.replace(/:root\{[^{}]*light-dark\([^{}]*\}/g, (rule) => {
		const both = rule.slice(6, -1).split(";").filter((d) => d.includes("light-dark(") || d.startsWith("color-scheme:"))
			.join(";");
		const light = rule.replace(/light-dark\(([^(),]*),[^()]*\)/g, "$1").replace("color-scheme:light dark",
			"color-scheme:light");
		return `${light}@supports (color: light-dark(#000,#fff)){:root{${both}}}`;
	});
}
for (const { path, text: asBuilt } of outputFiles) {
	const text = path.endsWith(".css") ? withLight(asBuilt) : asBuilt;
	const renamed = (t) => names.reduce((t, [from, to]) => t.replaceAll(from, to), t);
	await writeFile(join(dist, renamed(basename(path))), renamed(text));
}
for (const name of ["index.html", "icon.svg", "manifest.json"]) await cp(join(here, "src", name), join(dist, name));

// Write the dictionaries. The function say finds a translation by the key of the text.
const { outputFiles: [key] } = await build({ ...common, entryPoints: ["src/key.ts"], format: "esm", write: false });
const { keyOf } = await import(`data:text/javascript,${encodeURIComponent(key.text)}`);
for (const name of ["vi.json"]) {
	const texts = Object.entries(JSON.parse(await readFile(join(here, "src", name), "utf8")));
	const keyed = Object.fromEntries(texts.map(([text, said]) => [keyOf(text), said]));
	if (Object.keys(keyed).length !== texts.length) throw new Error(`${name}: two texts have the same key`);
	await writeFile(join(dist, name), JSON.stringify(keyed));
}

// Build the dashboard as one page, in which "dojo report" replaces {{title}} and {{data}}. Its
// content security policy allows only its own script and style, so it loads nothing else.
const { outputFiles: [report] } = await build({ ...common, entryPoints: ["src/report.tsx"], format: "esm",
	write: false });
const parts = { script: report.text, style: await readFile(join(dist, "style.css"), "utf8"),
	words: await readFile(join(dist, "vi.json"), "utf8") };
for (const name of ["script", "style"]) {
	parts[`${name} hash`] = `sha256-${createHash("sha256").update(parts[name]).digest("base64")}`;
}
const page = await readFile(join(here, "src", "report.html"), "utf8");
await writeFile(join(dist, "report.html"), page.replace(/\{\{(.*?)\}\}/g, (place, name) => parts[name] ?? place));

// Build the workers as classic scripts, because Go's wasm_exec.js is not a module. The service
// worker, which serves the pages offline, gets the list of files that the pages with boards load.
await build({ ...common, entryPoints: { worker: "src/backend/wasm.ts" }, format: "iife" });
// boot.js must run in old browsers.
await build({ ...common, entryPoints: { boot: "src/boot.ts" }, format: "iife", target: "es2015" });
const built = (await readdir(dist)).filter((name) => !["index.html", "report.html", "runs.js"].includes(name)).sort();
await build({ ...common, entryPoints: { offline: "src/backend/offline.ts" }, format: "iife",
	define: { built: JSON.stringify(built) } });

// Write the licences of the packages whose code is in dist.
const packages = new Set(
	Object.keys(metafile.inputs).flatMap((f) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(f)?.[1] ?? []),
);
const licences = await Promise.all(
	[...packages].sort().map(async (name) =>
		`${name}\n\n${(await readFile(join(here, "node_modules", name, "LICENSE"), "utf8")).trim()}\n`
	),
);
await writeFile(join(dist, "licenses.txt"), licences.join("\n\n"));
