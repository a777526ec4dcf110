import assert from "node:assert/strict";
import { test } from "node:test";
import { coloured, colours, dashed } from "../src/dashboard/data";
import { duration, format } from "../src/dashboard/metrics";
import { scaleOf } from "../src/dashboard/scale";
import { keyOf } from "../src/key";
import { named } from "../src/play/names";
import { many, say } from "../src/words";
import type { Snapshot } from "../src/wire";

test("a scale takes values to places and back", () => {
	for (const log of [false, true]) {
		for (const [low, high] of [[0, 10], [-5, 1000], [0.01, 3]]) {
			const s = scaleOf(low, high, log);
			assert.equal(s.place(low), 0);
			assert.equal(s.place(high), 1);
			for (const place of [0.1, 0.5, 0.9]) assert(Math.abs(s.place(s.value(place)) - place) < 1e-9);
		}
	}
});

test("ticks are round values within the scale", () => {
	assert.deepEqual(scaleOf(0, 10, false).ticks(5), [0, 2, 4, 6, 8, 10]);
	assert.deepEqual(scaleOf(0.3, 0.72, false).ticks(5), [0.3, 0.4, 0.5, 0.6, 0.7]);
	assert.deepEqual(scaleOf(1, 1000, true).ticks(4), [1, 10, 100, 1000]);
	assert.deepEqual(scaleOf(5, 5, false).ticks(2), [4, 5, 6]);
});

test("runs have different colours while there are enough, and then other dashes", () => {
	const all = Array.from({ length: colours + 2 }, (_, i) => ({ run: String(i) }) as Snapshot);
	const shown = coloured(all, all);
	assert.deepEqual(shown.slice(0, colours).map((s) => s.colour), all.slice(0, colours).map((_, i) => i));
	assert.deepEqual(shown.slice(colours).map((s) => s.turn), [1, 1]);
	assert.equal(dashed(shown[0]), undefined);
	assert.equal(dashed(shown[colours]), "12 5");
});

test("numbers and durations are written for people", () => {
	assert.equal(format(undefined, { digits: 0, unit: "" }), "–");
	assert.equal(format(12.34, { digits: 1, signed: true, unit: "" }), "+12.3");
	assert.deepEqual([5, 65, 7300].map(duration), ["5 s", "1 min 05 s", "2 h 01 min"]);
});

test("texts have places for what is put in", () => {
	assert.equal(say("{1} before {0}", 1234.5, "a"), "a before 1,234.5");
	assert.equal(many(1, "{0} move", "{0} moves"), "1 move");
	assert.equal(many(2, "{0} move", "{0} moves"), "2 moves");
	assert.equal(named("a run, candidate of generation 12"), "a run, candidate of generation 12");
	assert.equal(keyOf("Play"), keyOf("Play"));
	assert(keyOf("Play") !== keyOf("play"));
});
