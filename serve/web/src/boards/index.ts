// The list of boards, by game. This is the only file that names the boards of games.
import { useAnswer } from "../answer";
import type { Backend, Model } from "../backend/backend";
import { language, say } from "../words";
import type { GameUI } from "./board";
import { onitama, wallonitama } from "./cards";
import { oanquan } from "./oanquan";
import { patchwork } from "./patchwork";
import { plain } from "./plain";
import { tictactoe } from "./tictactoe";

const all: Record<string, GameUI> = { oanquan, onitama, patchwork, tictactoe, wallonitama };

const baseOf = (game: string) => game.split(/[-:]/)[0];

/** Returns the board of a game. The name may include a variant or options. */
export const boardOf = (game: string): GameUI => all[baseOf(game)] ?? plain;

const titles: { [game: string]: Model["title"] } = {};

/** Loads the models of a back end. Also stores the titles of their games, for titleOf. */
export const useModels = (backend: Backend) =>
	useAnswer(async () => {
		const models = await backend.models();
		for (const m of models) {
			titles[m.game] = m.title;
			titles[baseOf(m.game)] ??= m.title;
		}
		return models;
	}, []);

/** Returns the title of a game without its variant and options. */
export function shortTitleOf(game: string): string {
	const title = titles[game] ?? titles[baseOf(game)], base = baseOf(game);
	return title?.[language()] ?? base.charAt(0).toUpperCase() + base.slice(1);
}

/** Returns the title of a game with its variant or options. */
export function titleOf(game: string): string {
	const ui = boardOf(game), rest = all[baseOf(game)] ? game.split(/[-:](.*)/)[1] : game.split(/:(.*)/)[1];
	return rest ? `${shortTitleOf(game)}, ${ui.variants?.[game] ? say(ui.variants[game]) : rest}` : shortTitleOf(game);
}

/**
 * Returns the games that some models play, in the order of the models. If botless is true, each
 * game is followed by its variants, because two people can play them without a bot. If a built-in
 * bot plays the usual variant of a game, that variant comes before the game.
 */
export function gamesOf(models: Model[], botless: boolean): string[] {
	const known = new Set(models.map((m) => m.game));
	return [...new Set(models.flatMap((m) => {
		const { usual, variants } = boardOf(m.game), before = !m.run && usual && known.has(usual) ? [usual] : [];
		return [...before, m.game, ...(botless ? Object.keys(variants ?? {}) : [])];
	}))];
}
