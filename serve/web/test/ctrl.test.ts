import assert from "node:assert/strict";
import { test } from "node:test";
import { Controller } from "../src/play/ctrl";
import { nim, settled, still } from "./nim";

// at opens the page for playing with an address and settings.
async function at(address: string, settings: object = {}) {
	const backend = nim(), outside = still(), query = new URLSearchParams(address);
	let drawn = 0;
	const offer = { backend, models: await backend.models(), games: ["nim"] };
	const ctrl = new Controller(offer, query.has("position"), outside, () => drawn++);
	ctrl.set(settings);
	ctrl.open(query);
	await settled();
	return { ctrl, backend, outside, drawn: () => drawn };
}

const moves = (ctrl: Controller) => ctrl.table.game!.positions.slice(1).map((p) => p.move).join();

test("a person plays, and the bot answers", async () => {
	const { ctrl, backend, outside, drawn } = await at("game=nim", { level: 9 });
	assert.equal(ctrl.now!.position, "5 first");
	assert(ctrl.personMoves && !ctrl.botMoves);
	assert.equal(backend.asked.length, 0, "nobody asked for a search");
	const before = drawn();
	ctrl.act("1");
	await settled();
	assert.equal(ctrl.now!.to_move, "first");
	assert.equal(moves(ctrl).split(",").length, 2);
	assert(drawn() > before);
	assert.equal(backend.asked[0].simulations, 2500, "the bot's level");
	assert(outside.links.at(-1)!.includes("moves=1%2C"));
	ctrl.close();
});

test("a game that is over is kept, and the level follows three wins", async () => {
	const { ctrl, backend } = await at("game=nim&position=2+first", { mode: "play", adapt: true, level: 4, row: 2 });
	ctrl.act("2");
	await settled();
	assert.equal(ctrl.now!.outcome, "first");
	assert.deepEqual(backend.kept, [["2"]]);
	assert.equal(ctrl.settings.level, 5);
	assert.equal(ctrl.notice, "The level is now 6.");
	ctrl.close();
});

test("undo goes to where a person was to move, and then to the game before", async () => {
	const { ctrl } = await at("game=nim", { level: 9 });
	ctrl.act("1");
	await settled();
	ctrl.toPerson(-1);
	await settled();
	assert.equal(ctrl.table.game!.at, 0);
	ctrl.toPerson(1);
	assert.equal(ctrl.table.game!.at, 2);
	const played = moves(ctrl);
	ctrl.fresh("nim");
	await settled();
	assert.equal(moves(ctrl), "");
	ctrl.toPerson(-1);
	assert.equal(moves(ctrl), played);
	ctrl.close();
});

test("a link opens for analysis, and thinking can be stopped", async () => {
	const { ctrl, backend } = await at("game=nim&position=5+first&moves=1,1", { mode: "analyse" });
	assert.equal(ctrl.now!.position, "3 first");
	assert.equal(backend.asked.at(-1)!.simulations, undefined, "an analysis has no end");
	assert(ctrl.shows && ctrl.analysis);
	ctrl.put({ thinking: false });
	ctrl.table.go(0);
	const before = backend.asked.length;
	await settled();
	assert.equal(backend.asked.length, before);
	ctrl.put({ thinking: true });
	await settled();
	assert.equal(ctrl.analysis!.position, "5 first");
	ctrl.close();
});

test("a link that cannot be read is reported, and a new game begins", async () => {
	const { ctrl } = await at("game=nim&position=5+first&moves=1,7");
	assert.equal(ctrl.table.error, "7: not legal");
	assert.equal(ctrl.now!.position, "5 first");
	ctrl.close();
});

test("a hint searches once", async () => {
	const { ctrl, backend } = await at("game=nim", { mode: "play", level: 0 });
	assert(!ctrl.shows);
	ctrl.hint(true);
	await settled();
	assert(ctrl.shows && ctrl.analysis);
	assert.equal(backend.asked.length, 1);
	assert.equal(backend.asked[0].simulations, 200);
	ctrl.close();
});

test("a review judges all moves, and a better one can be tried", async () => {
	const { ctrl } = await at("game=nim&position=5+first&moves=1,1,1,2", { mode: "play" });
	ctrl.reviewGame(true);
	await settled();
	assert.equal(ctrl.review, undefined);
	assert.equal(ctrl.findings.size, 4);
	ctrl.retry(0);
	await settled();
	assert.deepEqual([ctrl.task!.best, ctrl.task!.played, ctrl.guessing], ["2", "1", true]);
	await ctrl.attempt.tried("1");
	assert.deepEqual([ctrl.attempt.said, ctrl.attempt.failed], ["wrong", true]);
	await ctrl.attempt.tried("2");
	assert.deepEqual([ctrl.attempt.said, ctrl.guessing], ["right", false]);
	ctrl.put({ retried: undefined });
	assert.equal(ctrl.task, undefined);
	ctrl.close();
});

test("nothing happens after the page is left", async () => {
	const { ctrl, outside, drawn } = await at("game=nim", { level: 9 });
	ctrl.act("1");
	ctrl.close();
	const links = outside.links.length, before = drawn();
	await settled();
	assert.deepEqual([outside.links.length, drawn()], [links, before]);
});
