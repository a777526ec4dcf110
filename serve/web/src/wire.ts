// DO NOT EDIT: go test ./serve/web -run TestWire -update writes this file from Go types.

export type Player = "first" | "second";
export type Outcome = "ongoing" | "draw" | Player;

/** The smallest losses of value that make a move an inaccuracy, a mistake or a blunder. */
export const inaccuracy = 0.1;
export const mistake = 0.2;
export const blunder = 0.3;
/** The smallest difference in value between the best move of a puzzle and all other moves. */
export const clear = 0.3;
/** A worker is offline if its last message is older than this, in milliseconds. */
export const awayAfter = 10000;

/** web.Site */
export interface Site {
	backend: "worker" | "server";
	pages: string[];
	keeps?: boolean;
	provenance?: string[];
}

/** play.Model */
export interface Model {
	id: string;
	name: string;
	game: string;
	about?: string;
	run?: string;
	usual?: boolean;
	title?: { [key: string]: string };
	kernels?: string;
}

/** play.Question */
export interface Question {
	game: string;
	language?: string;
	seed?: number;
	usual?: boolean;
	position?: string;
	moves?: string[];
	text?: string;
}

/** serve.Query */
export interface Query extends Question {
	model?: string;
	simulations?: number;
	time_ms?: number;
}

/** analysis.Position */
export interface Position {
	game: string;
	position: string;
	to_move: Player;
	outcome: Outcome;
	legal: string[];
	score?: [number, number];
	sketch?: unknown;
	drawing?: string;
	move?: string;
	stages?: unknown;
}

/** analysis.Move */
export interface Move {
	move: string;
	visits: number;
	prior: number;
	policy?: number;
	value: number;
	line: string[];
	proven?: Exclude<Outcome, "ongoing">;
}

/** analysis.Thought */
export interface Thought {
	value: number;
	visits: number;
	move?: string;
	line?: string[];
	moves: Move[];
	proven?: Exclude<Outcome, "ongoing">;
	lead?: number;
}

/** analysis.Growth */
export interface Growth extends Thought {
	position: string;
	simulations_per_second: number;
	done: boolean;
	made?: number;
	seconds?: number;
}

/** train.Strength */
export interface Strength {
	generation: number;
	elo: number;
	low: number;
	high: number;
}

/** serve.Ladder */
export interface Ladder {
	zero: string;
	rungs: Strength[];
}

/** serve.Solved */
export interface Solved {
	generation: number;
	solved: string;
	simulations?: number;
	time_ms?: number;
	positions: number;
	share: number;
}

/** train.Stage */
export interface Stage {
	generation: number;
	name: "self-play" | "train" | "gate" | "ladder" | "verify" | "complete";
	done: number;
	total: number;
	remark: string;
	written?: string;
}

/** rundir.Worker */
export interface Worker {
	name: string;
	program: string;
	system: string;
	joined: string;
	seen: string;
	goroutines: number;
	held: number;
	tasks: number;
	games: number;
	games_per_second: number;
	refused?: string;
}

/** rundir.Workers */
export interface Workers {
	time: string;
	over?: boolean;
	workers: Worker[];
	free: number;
	held: number;
	accepted: number;
	refused: number;
}

/** serve.Snapshot */
export interface Snapshot {
	run: string;
	game: string;
	program: string;
	network: string;
	simulations: number;
	seed: number;
	planned: number;
	config: { gate?: { ladder?: number } };
	from: number;
	generations: Metrics[];
	ladder: Ladder;
	solved: Solved[];
	stage: Stage;
	workers?: Workers;
	error?: string;
}

/** serve.News */
export interface News {
	clock: string;
	ids: string[];
	runs: Snapshot[];
}

/** serve.Listed */
export interface Listed {
	source: "selfplay" | "gate";
	generation: number;
	number: number;
	first: string;
	second: string;
	outcome: Exclude<Outcome, "ongoing">;
	length: number;
	swing: number | null;
	surprise: number | null;
	turn: number;
	board?: Position;
}

/** serve.GameList */
export interface GameList {
	source: string;
	generation: string;
	generations: number[];
	total: number;
	offset: number;
	games: Listed[];
	read: number;
	left: number;
}

/** serve.Weight */
export interface Weight {
	move: string;
	weight: number;
}

/** serve.Opinion */
export interface Opinion {
	value: number;
	policy: Weight[];
}

/** serve.Game */
export interface Game extends Listed {
	run: string;
	game: string;
	positions: Position[];
	searches: Opinion[];
}

/** serve.Thoughts */
export interface Thoughts {
	networks: Opinion[];
	searches: Opinion[];
}

/** serve.WatchedPoint */
export interface WatchedPoint extends Opinion {
	generation: number;
	model: string;
}

/** serve.Watched */
export interface Watched {
	position: Position;
	points: WatchedPoint[];
}

/** train.NewStats */
export interface NewStats {
	positions: number;
	policy_loss: number;
	value_loss: number;
	value_error: number;
	agreement: number;
}

/** train.DeepStats */
export interface DeepStats {
	positions: number;
	agreement: number;
	value_change: number;
}

/** train.FitStats */
export interface FitStats {
	steps: number;
	window_generations: number;
	window_positions: number;
	window_bytes?: number;
	learning_rate: number;
	policy_loss: number;
	value_loss: number;
	margin_loss: number;
	entropy: number;
	value_error: number;
	grad_norm: number;
	samples_per_second: number;
	seconds: number;
	new?: NewStats;
	deep?: DeepStats;
}

/** arena.Mean */
export interface Mean {
	mean: number;
	low: number;
	high: number;
}

/** train.GateResult */
export interface GateResult {
	wins: number;
	losses: number;
	draws: number;
	elo: number;
	elo_low: number;
	elo_high: number;
	promoted: boolean;
	margin?: Mean;
	seconds: number;
}

/** arena.Meeting */
export interface Meeting {
	a: string;
	b: string;
	games: number;
	points: number;
}

/** train.LadderResult */
export interface LadderResult {
	meetings: Meeting[];
	seconds: number;
}

/** train.Metrics */
export interface Metrics {
	seal?: string;
	generation: number;
	player: string;
	best: string;
	time: string;
	program?: string;
	config?: string;
	files?: string;
	formulas?: number;
	games: number;
	positions: number;
	game_length: number;
	first_wins: number;
	draws: number;
	policy_entropy: number;
	value_error: number;
	distinct: number;
	late?: number;
	selfplay_seconds?: number;
	games_per_second?: number;
	positions_per_second?: number;
	simulations_per_second?: number;
	evaluations_per_second?: number;
	fit: FitStats;
	gate: GateResult;
	ladder?: LadderResult;
}
