// The searcher searches the position on the board. It runs one search at a time.
import type { Analysis, Backend, Position } from "../backend/backend";

/**
 * How long a search should run: up to a number of visits, or as an analysis, which runs until the
 * user stops it or the tree has used up its memory.
 */
export type Wanted = "none" | "analysis" | number;

export interface Searched {
	found(p: Position, a: Analysis): void; // called several times during a search
	done(a: Analysis): void;
	failed(e: unknown): void;
}

export class Searcher {
	running = false;
	speed = 0; // simulations per second; 0 if unknown
	private at?: Position;
	private known?: Analysis; // the newest result for the position this.at
	private wanted: Wanted = "none";
	private purpose?: string;
	private model?: string;
	private stop = new AbortController();

	constructor(private backend: Backend, private tell: Searched, private changed: () => void) {}

	/** Returns the analysis of a position if that position was searched last. */
	analysis(p: Position | undefined): Analysis | undefined {
		return p === this.at ? this.known : undefined;
	}

	/**
	 * Starts a search of a position, unless the same search is running or has already run. A search
	 * for another purpose counts as a different search.
	 */
	seek(p: Position | undefined, model: string | undefined, wanted: Wanted, purpose?: string) {
		if (!p || p.outcome !== "ongoing") wanted = "none";
		if (p === this.at && wanted === this.wanted && model === this.model && purpose === this.purpose) return;
		this.stop.abort();
		if (p !== this.at) this.known = undefined;
		[this.at, this.wanted, this.model, this.purpose] = [p, wanted, model, purpose];
		this.running = wanted !== "none";
		if (p && wanted !== "none") void this.run(p, wanted === "analysis" ? undefined : wanted);
	}

	private async run(p: Position, simulations: number | undefined) {
		const { signal } = this.stop = new AbortController();
		const put = (a: Analysis, running: boolean) => {
			if (a.simulations_per_second) this.speed = a.simulations_per_second;
			[this.known, this.running] = [a, running];
		};
		const each = (a: Analysis) => {
			if (signal.aborted) return;
			put(a, !a.done);
			this.tell.found(p, a);
			this.changed();
		};
		try {
			const query = { game: p.game, position: p.position, model: this.model, simulations };
			const last = await this.backend.analyse(query, each, signal);
			if (signal.aborted) return;
			put(last, false);
			this.tell.done(last);
			this.changed();
		} catch (e) {
			if (signal.aborted) return;
			[this.known, this.running] = [undefined, false];
			this.tell.failed(e);
			this.changed();
		}
	}

	close() {
		this.seek(undefined, undefined, "none");
	}
}
