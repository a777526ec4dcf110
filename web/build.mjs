// Writes dist, the pages as browsers load them: node build.mjs [FOLDER]. The result
// depends on the sources and on the exact versions in package.json alone.
import { build } from "esbuild";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.argv[2] ?? join(here, "dist");
await mkdir(dist, { recursive: true });
for (const name of await readdir(dist)) await rm(join(dist, name));

const common = {
  absWorkingDir: here, outdir: dist, bundle: true, minify: true, target: "es2022", charset: "utf8",
  preserveSymlinks: true, // node_modules may lie elsewhere
  legalComments: "none", logLevel: "warning",
};
// All pages are one file: the names in dist stay the same from version to version, and
// "dojo export" knows an earlier export by them.
// Calls with a list of children are shorter than what the automatic transform writes.
const jsx = { jsx: "transform", jsxFactory: "jsxElement", jsxFragment: "jsxFragment", inject: ["src/jsx.ts"], tsconfigRaw: "{}" };
const { metafile } = await build({ ...common, ...jsx, metafile: true, entryPoints: { app: "src/app.tsx", style: "src/style.css" }, format: "esm" });
// Classic workers: Go's wasm_exec.js is no module.
await build({ ...common, entryPoints: { worker: "src/backend/wasm.ts", offline: "src/backend/offline.ts" }, format: "iife" });
for (const name of ["index.html", "icon.svg", "manifest.json", "vi.json"]) await cp(join(here, "src", name), join(dist, name));

// The licences of the packages that are in the result.
const packages = new Set(Object.keys(metafile.inputs).flatMap((f) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(f)?.[1] ?? []));
const licences = await Promise.all([...packages].sort().map(async (name) => `${name}\n\n${(await readFile(join(here, "node_modules", name, "LICENSE"), "utf8")).trim()}\n`));
await writeFile(join(dist, "licenses.txt"), licences.join("\n\n"));
