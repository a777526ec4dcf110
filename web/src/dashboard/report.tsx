// The whole page of a report: runs as they were when it was written.
import { ThemeButton } from "../theme";
import { Dashboard } from "./dashboard";
import type { Run } from "./live";

export function Report({ runs, program }: { runs: Run[]; program: string }) {
  const written = runs.map((r) => r.stage.written).filter((t) => t !== undefined).sort().pop();
  return (
    <>
      <header><span class="brand">dojo</span><span class="dim">report</span><ThemeButton /></header>
      <main id="main"><Dashboard runs={runs} /></main>
      <footer>{written && `As of ${new Date(written).toLocaleString()}. `}Written by dojo {program}.</footer>
    </>
  );
}
