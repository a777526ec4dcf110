// Runs the queries of docs/FORMAT.md on the run in the given folder. For each query it prints the
// rows as one line of JSON.
import { DuckDBInstance } from "@duckdb/node-api";
import { readFileSync } from "node:fs";

const [doc, root] = process.argv.slice(2);
const queries = [...readFileSync(doc, "utf8").matchAll(/```sql\n([^`]+)```/g)].map((m) => m[1]);
const db = await (await DuckDBInstance.create()).connect();
for (const query of queries) {
  const reader = await db.runAndReadAll(query.replaceAll("runs/*", () => root));
  console.log(JSON.stringify(reader.getRowObjectsJson()));
}
