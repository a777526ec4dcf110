import assert from "node:assert/strict";
import { test } from "node:test";
import { classic, walled } from "../src/boards/cards_text";
import { fourIn, rowsOf, textOf, topOf } from "../src/boards/connectfour_cells";
import { heap, layoutOf, rows } from "../src/boards/oanquan_layout";

test("an action of Onitama is split into its card and its cells", () => {
	assert.deepEqual(classic.split("13 A1B2"), { action: "13 A1B2", slot: "13", from: "A1", to: "B2" });
	assert.deepEqual(classic.split("4 PASS"), { action: "4 PASS", slot: "4", from: undefined, to: undefined });
	assert.deepEqual(walled.split("u"), { action: "u", wall: "u" });
	assert.equal(walled.split("2e3d3").to, "d3");
	assert.deepEqual([classic.cell(0, 0), classic.cell(4, 4), walled.cell(0, 4)], ["A5", "E1", "e1"]);
});

test("all stones of a field lie in it", () => {
	for (const n of [1, 5, 12, 70]) {
		for (const all of [heap(n, [10, 20, 80, 60], 6), rows(n, [10, 20, 80, 60], 12)]) {
			assert(all.length <= n && all.length > 0);
			for (const [x, y] of all) assert(x >= 10 && x <= 90 && y >= 20 && y <= 80, `${n}: ${x},${y}`);
		}
	}
	assert.deepEqual(Object.keys(layoutOf(true)), Object.keys(layoutOf(false)));
});

test("a disc of Connect Four lies on the top of its column, and four in a line are found", () => {
	const rows = rowsOf("......./......./x....../xo...../xoo..../xooo...")!;
	assert.deepEqual([0, 1, 2, 3, 4].map((x) => topOf(rows, x)), [2, 3, 4, 5, 6]);
	assert.deepEqual(fourIn(rows), [[0, 2], [0, 5]]);
	assert.equal(fourIn(rowsOf("......./......./......./xo...../xoo..../xooo...")!), undefined);
	assert.deepEqual(fourIn(rowsOf("......./......./o....../xo...../xxo..../xxxo...")!), [[0, 2], [3, 5]]);
	assert.equal(textOf(rows, 4, 5, "x"), "......./......./x....../xo...../xoo..../xooox..");
	assert.equal(rowsOf("xo"), undefined);
});
