import assert from "node:assert/strict";
import { test } from "node:test";
import { readPuzzles } from "../src/learn/store";
import { accuracyOf, chosen, findingOf, gradeOf, isClear, marksOf, mistakesOf, nextLevel,
	type Finding } from "../src/play/search";
import { linkOf } from "../src/play/table";
import { extend, leaf, lineThrough, promote, read, remove, variationOf, write } from "../src/play/tree";
import { blunder, inaccuracy, mistake } from "../src/wire";
import { analysis, follow, nim, position } from "./nim";

test("grades begin at the losses of Go", () => {
	assert.equal(gradeOf(inaccuracy - 0.01), "");
	assert.deepEqual([inaccuracy, mistake, blunder].map(gradeOf), ["inaccuracy", "mistake", "blunder"]);
});

test("three wins raise the level, three losses lower it", () => {
	assert.deepEqual(nextLevel(4, 1, true), { level: 4, row: 2 });
	assert.deepEqual(nextLevel(4, 2, true), { level: 5, row: 0 });
	assert.deepEqual(nextLevel(4, 2, false), { level: 4, row: -1 });
	assert.deepEqual(nextLevel(0, -2, false), { level: 0, row: 0 });
});

test("a review finds the mistakes of each side, and its accuracy", () => {
	// The first move loses a won position.
	const positions = follow("5 first", ["1", "1", "1", "2"]);
	const found = new Map(
		positions.slice(0, -1).map((p): [string, Finding] => [p.position, findingOf(p, analysis(p.position))]),
	);
	assert.deepEqual(mistakesOf(positions, found, "first"), [0]);
	assert.deepEqual(mistakesOf(positions, found, "second"), []);
	assert.equal(Math.round(accuracyOf("second", positions, found)!), 100);
	// By the formula, the accuracies of the two moves are 100 and −2. Their mean is 49.
	assert.equal(Math.round(accuracyOf("first", positions, found)!), 49);
	assert.equal(accuracyOf("first", positions, new Map()), undefined);
	assert(isClear(found.get("5 first")!, "first"));
	assert(!isClear(found.get("3 first")!, "first"), "both moves lose");
});

test("full strength plays the best move, and marks show it", () => {
	assert.equal(chosen(analysis("5 first"), position("5 first"), 9), "2");
	const [first, second] = marksOf(analysis("5 first"), "second");
	assert.deepEqual([first.action, first.best, first.figures], ["2", true, ["0 %", "50"]]);
	assert.deepEqual([second.action, second.best], ["1", false]);
});

test("a tree is written with its variations, and read again", async () => {
	const text = "1,1,(2,2),1,2";
	const root = await read(nim(), "nim", "5 first", text), { order } = write(root);
	assert.equal(write(root).text, text);
	assert.deepEqual(order.map((n) => n.position.position), [
		"5 first",
		"4 second",
		"3 first",
		"2 first",
		"0 second",
		"2 second",
		"0 first",
	]);
	const line = lineThrough(order[3]);
	assert.equal(variationOf(order[4]), order[3]);
	assert(linkOf({ root, line, at: 2 }).endsWith("&at=3"));
	promote(order[3]);
	assert.equal(write(root).text, "1,2,(1,1,2),2");
	remove(order[3]);
	assert.equal(write(root).text, "1,1,1,2");
});

test("what is wrong with a text is named", async () => {
	for (const [text, error] of [["(1)", /before the first move: \(1\)/], ["1)", /bracket too many: 1\)/], [
		"3",
		/3: not legal/,
	]] as const) await assert.rejects(read(nim(), "nim", "5 first", text), error);
	assert.throws(() => readPuzzles("{\"game\": \"nim\"}"), /line 1 has no game, position and best move/);
	assert.throws(() => readPuzzles("{}\n{"), /line 1/);
});

test("a move that was played before is not added again", () => {
	const [start, ...rest] = follow("5 first", ["1", "1"]), root = leaf(start);
	assert.equal(extend(root, rest), extend(root, follow("5 first", ["1", "1"]).slice(1)));
	assert.equal(root.children.length, 1);
});
