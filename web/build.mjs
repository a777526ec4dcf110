// Writes dist, the pages as browsers load them: node build.mjs [FOLDER]. The result
// depends on the sources and on the exact versions in package.json alone.
import { build } from "esbuild";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const dist = process.argv[2] ?? join(here, "dist");
await mkdir(dist, { recursive: true });
for (const name of await readdir(dist)) await rm(join(dist, name));

const common = {
  absWorkingDir: here, outdir: dist, bundle: true, minify: true, target: "es2022", charset: "utf8",
  jsx: "automatic", jsxImportSource: "preact", legalComments: "none", logLevel: "warning",
};
// All pages are one file: the names in dist stay the same from version to version, and
// "dojo export" knows an earlier export by them.
await build({ ...common, entryPoints: { app: "src/app.tsx", style: "src/style.css" }, format: "esm" });
// A classic worker: Go's wasm_exec.js is no module.
await build({ ...common, entryPoints: { worker: "src/backend/wasm.ts" }, format: "iife" });
await cp(join(here, "src/index.html"), join(dist, "index.html"));
