// Patchwork: the patches to buy (they lie in a circle), the time track and both quilts. The user
// chooses, turns and flips patches with the mouse, by touch or with the keyboard. The board shows
// whether a patch fits before the user drops it.
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Position } from "../wire";
import type { BoardProps, GameUI } from "./board";
import { many, phrase, say } from "../words";
import { actionOf, bonusOf, cellsAt, mirrored, patchOf, placementOf, seatsOf, sewnOf, sizeOf, sketchOf, turned,
	type Cell, type Patch } from "./patches";
import { ButtonIcon, Haberdashery, Shape, U } from "./patchwork_cloth";
import { about, Market, Price, Share } from "./patchwork_market";
import { cellName, Heat, nameOf, Preview, Purse, Quilt, useCounting } from "./patchwork_quilt";
import { PatchworkSetup } from "./patchwork_setup";
import { TimeTrack } from "./patchwork_track";
import { follow, keyed, useBefore, useKeys } from "./tools";

/** The patch that the user holds. If it is over the quilt, `at` is the cell of its corner. */
interface Hand {
	letter: string;
	turn: string;
	at?: Cell;
}

function Board(props: BoardProps) {
	const { position, marks = [], history } = props;
	const onAct = props.onAct;
	const before = useBefore(position, props.previous);
	const sketch = sketchOf(position), counted = useCounting(position, before), seats = counted;
	const seat = position.to_move === "first" ? 0 : 1;
	const placements = onAct ? position.legal.filter((a) => a.length === 4) : [];
	const legal = new Set(placements);
	const buyable = new Set(placements.map((a) => a[0]));
	const special = buyable.has(sketch.special.letter);
	const [hand, showHand] = useState<Hand>();
	const [drag, setDrag] = useState<{ x: number; y: number; size: number }>();
	const quilts = useRef<(SVGSVGElement | null)[]>([null, null]);
	const latest = useRef<Hand | undefined>(undefined);
	latest.current = hand;
	// Events can arrive faster than the board is drawn, so event handlers read the newest state of
	// the hand from latest.
	const setHand = (h: Hand | undefined) => {
		latest.current = h;
		showHand(h);
		tell("");
	};
	const [said, tell] = useState(""); // reason why the last key did nothing
	useLayoutEffect(() => setHand(special && onAct ? { letter: sketch.special.letter, turn: "A" } : undefined), [
		position,
		!onAct,
	]);

	const patch = hand && patchOf(position, hand.letter);
	const fitting = (h: Hand | undefined): string | undefined => {
		const action = h?.at && actionOf({ letter: h.letter, turn: h.turn, x: h.at[0], y: h.at[1] });
		return action && legal.has(action) ? action : undefined;
	};
	const fits = fitting(hand);
	const drop = (h: Hand | undefined) => {
		const action = fitting(h);
		if (action) {
			setHand(undefined);
			onAct!(action);
		}
	};
	// turnOf returns the orientation in which the user picks up a patch: the orientation in its
	// picture, unless the patch fits nowhere in that orientation.
	const turnOf = (letter: string) => {
		const own = placements.filter((a) => a[0] === letter);
		return own.find((a) => a[3] === "A")?.[3] ?? own[0]?.[3] ?? "A";
	};
	const take = (letter: string) => {
		const h = latest.current, turn = turnOf(letter);
		setHand(
			h?.letter === letter && !special ? undefined
				: { letter, turn, at: h?.at && inside(patchOf(position, letter)!, turn, h.at) },
		);
	};
	const change = (f: (p: Patch, turn: string) => string) => {
		const h = latest.current, p = h && patchOf(position, h.letter);
		if (!h || !p) return;
		const turn = f(p, h.turn);
		setHand({ ...h, turn, at: h.at && inside(p, turn, h.at) });
	};

	// under returns the cell for a patch's corner that puts the patch's middle under the pointer.
	function under(e: { clientX: number; clientY: number }, h: Hand, lifted = 0): Cell | undefined {
		const box = quilts.current[seat]?.getBoundingClientRect();
		if (!box) return undefined;
		const x = ((e.clientX - box.left) / box.width) * 9, y = ((e.clientY - lifted - box.top) / box.height) * 9;
		if (x < -1 || x > 10 || y < -1 || y > 10) return undefined;
		const p = patchOf(position, h.letter)!, [w, t] = sizeOf(p.shapes[h.turn]);
		return inside(p, h.turn, [Math.round(x - w / 2), Math.round(y - t / 2)]);
	}
	function startDrag(e: PointerEvent, letter: string) {
		if (e.button !== 0 || !buyable.has(letter)) return;
		const kept = latest.current?.letter === letter ? latest.current : { letter, turn: turnOf(letter) };
		const wheel = (w: WheelEvent) => {
			w.preventDefault();
			change(turned);
		};
		// If a finger drags the patch, draw it 60 pixels above the finger, which would otherwise
		// hide it. A tap with a second finger turns the patch.
		const finger = e.pointerType === "touch", lifted = finger ? 60 : 0;
		const second = (p: PointerEvent) => {
			if (p.pointerId !== e.pointerId) {
				p.preventDefault();
				change(turned);
			}
		};
		let going = false;
		follow(e, (m) => {
			if (!going) {
				addEventListener("wheel", wheel, { passive: false });
				addEventListener("pointerdown", second);
			}
			going = true;
			const h = latest.current?.letter === letter ? latest.current : kept;
			const size = (quilts.current[seat]?.getBoundingClientRect().width ?? 360) / 9;
			setHand({ ...h, at: under(m, h, lifted) });
			setDrag({ x: m.clientX, y: m.clientY - lifted, size });
		}, (_, moved) => {
			removeEventListener("wheel", wheel);
			removeEventListener("pointerdown", second);
			setDrag(undefined);
			if (moved) drop(latest.current);
		});
	}
	// step returns a function that moves the patch in hand by dx and dy cells. A patch that is not
	// on the quilt yet goes to the place that firstFit returns.
	const step = (dx: number, dy: number) => () => {
		const h = latest.current, p = h && patchOf(position, h.letter);
		if (!h || !p) return;
		setHand({ ...h, at: inside(p, h.turn, h.at ? [h.at[0] + dx, h.at[1] + dy] : firstFit(h)) });
		quilts.current[seat]?.focus();
	};
	const offer = (nth: number) => () => {
		const letter = sketch.circle.slice(0, sketch.offers)[nth - 1]?.letter;
		if (!letter || !buyable.has(letter)) {
			tell(letter ? say("You cannot buy patch {0} now.", letter) : say("There is no patch {0} on offer.", nth));
			return;
		}
		take(letter);
		quilts.current[seat]?.focus();
	};
	const turn =
		(f: typeof turned) =>
		() => (latest.current ? change(f) : tell(say("You hold no patch. Press 1, 2 or 3 to take one.")));
	useKeys(!onAct ? {} : { 1: offer(1), 2: offer(2), 3: offer(3), r: turn(turned), f: turn(mirrored), Escape: () => {
		if (!special) setHand(undefined);
	}, a: () => (position.legal.includes(".") ? onAct(".") : tell(say("Place the special patch first."))),
		...(hand && { ArrowLeft: step(-1, 0), ArrowRight: step(1, 0), ArrowUp: step(0, -1), ArrowDown: step(0, 1) }) });
	function onQuiltKey(e: KeyboardEvent) {
		if (!latest.current || (e.key !== "Enter" && e.key !== " ")) return;
		drop(latest.current);
		e.preventDefault();
	}
	// firstFit returns the place to which the first press of an arrow key moves a patch: the first
	// place where the patch fits without being turned.
	function firstFit(h: Hand): Cell {
		const action = placements.find((a) => a[0] === h.letter && a[3] === h.turn);
		const p = action ? placementOf(action) : undefined;
		return p ? [p.x, p.y] : [0, 0];
	}
	function quiltPointer(e: PointerEvent, done: boolean) {
		if (!hand || drag) return;
		const at = under(e, hand);
		if (e.pointerType === "mouse") {
			if (done) drop({ ...hand, at });
			else if (String(at) !== String(hand.at)) setHand({ ...hand, at });
			return;
		}
		// The first touch of a place only shows whether the patch fits there. A second touch of the
		// same place drops the patch.
		if (!done) return;
		if (hand.at && String(at) === String(hand.at) && fits) drop(hand);
		else setHand({ ...hand, at });
	}

	const sewn = sewnOf(history), last = lastOf(position, props.previous, history);
	const advance = position.legal.includes("."), target = Math.min(seats.now[1 - seat].time + 1, sketch.finish),
		steps = target - seats.now[seat].time;
	const likes = (what: string) =>
		// The string `what` is the letter of a patch, or "." for advancing.
		marks.reduce((sum, m) => sum + ((placementOf(m.action)?.letter ?? m.action) === what ? m.weight : 0), 0);
	const where = hand?.at ? cellName(hand.at) : "", inHand = hand ? `${hand.letter}${turnWords(hand.turn)}` : "";
	const told = special ? say("Place the special patch on any empty cell.")
		: !hand ?
		(buyable.size ? say("Choose a patch on offer, or drag one onto your quilt.") : say("You cannot buy a patch now."))
		: !hand.at ? say("Choose a place for patch {0}.", inHand)
		: fits ? say("Patch {0} fits at {1}.", inHand, where) : say("Patch {0} does not fit at {1}.", inHand, where);
	const turns = !!patch && Object.keys(patch.shapes).length > 1;
	const own = props.viewer && players.indexOf(props.viewer);
	const waiting = bonusOf(position) && bonusOf(position)!.holder === undefined;
	return <div class={`board patchwork ${own === undefined ? "shared" : "sided"}`}>
		<Haberdashery />
		<div class="tables">
			<Market position={position} hand={hand} buyable={buyable} share={likes} take={onAct ? take : undefined}
				startDrag={startDrag} />
			{[0, 1].map((s) => {
				const mine = s === seat, open = mine && hand;
				return <section key={s}
					class={`quilt-side side-${s} ${own === undefined ? "" : s === own ? "own" : "other"} ${
						mine ? "mine" : "theirs"
					} ${mine && position.outcome === "ongoing" ? "to-move" : ""}`}>
					<Purse position={position} seat={s} counted={counted} />
					<svg ref={(e) => {
						quilts.current[s] = e;
					}} class={`quilt ${open ? "open" : ""}`} viewBox={`0 0 ${9 * U} ${9 * U}`} data-quilt={s}
						tabindex={mine && onAct ? 0 : -1} role={mine && onAct ? "application" : "img"}
						aria-label={`${
							say("{0}'s quilt, {1} cells empty", nameOf(s), 81 - seats.now[s].rows.flat().filter(Boolean).length)
						}${
							open ? `; ${told}; ${say("the arrow keys move the patch, R turns it, F flips it, Enter places it")}` : ""
						}`} onKeyDown={mine ? onQuiltKey : undefined}
						onPointerMove={mine ? (e) => quiltPointer(e, false) : undefined}
						onClick={open ? (e) => quiltPointer(e as unknown as PointerEvent, true) : undefined} onContextMenu={(e) => {
						if (hand) {
							e.preventDefault();
							change(turned);
						}
					}} onPointerLeave={(e) => {
						if (open && !drag && e.pointerType === "mouse") setHand({ ...hand, at: undefined });
					}}>
						<Quilt seat={seats.now[s]} sewn={sewn[s]} last={last?.seat === s ? last.cells : undefined} />
						{mine && !hand && <Heat position={position} marks={marks} />}
						{open && hand.at && patch &&
							(<Preview seat={seats.now[s]}
								cells={cellsAt(patch, { letter: hand.letter, turn: hand.turn, x: hand.at[0], y: hand.at[1] })}
								patch={patch} fits={!!fits} />)}
					</svg>
				</section>;
			})}
			<div class="time-side">
				<TimeTrack sketch={sketch} times={seats.shown.map((s) => s.time)} seat={seat}
					ahead={patch && !special ? Math.min(sketch.finish, seats.now[seat].time + patch.time) : undefined} />
				{waiting && <p class="seven-waits dim small">
					<b class="seven">7×7</b> {say("7 points for the first player who fills 7 by 7 cells")}
				</p>}
			</div>
			{onAct && <div class="row patch-tools">
				{advance && <button class="can" data-advance onClick={() => onAct(".")}>
					{keyed(say("_A_dvance to {0}", target))}{" "}
					<span class="gains" aria-hidden>
						+{steps} <ButtonIcon />
					</span>
					<span class="hidden">{many(steps, "+{0} button", "+{0} buttons")}</span>
					{likes(".") > 0.02 && <Share part={likes(".")} />}
				</button>}
				<button disabled={!turns} aria-label={say("Turn")} onClick={() => change(turned)}>
					↻ <span class="wide">{keyed(say("Tu_r_n"))}</span>
				</button>
				<button disabled={!turns} aria-label={say("Flip")} onClick={() => change(mirrored)}>
					⇋ <span class="wide">{keyed(say("_F_lip"))}</span>
				</button>
				<button class={fits ? "primary" : ""} disabled={!fits} onClick={() => drop(hand)}>
					{hand?.at ? say("Place at {0}", where) : say("Place here")}
				</button>
				<span class="dim small" role="status">{said || told}</span>
			</div>}
		</div>
		{drag && patch && <div class="dragging" style={{ left: `${drag.x}px`, top: `${drag.y}px` }} aria-hidden>
			<Shape patch={patch} turn={hand!.turn} unit={drag.size} />
		</div>}
	</div>;
}

const players = ["first", "second"];

// turnWords describes how a patch is flipped and turned.
function turnWords(turn: string): string {
	const n = "ABCDEFGH".indexOf(turn);
	return `${n > 3 ? " ⇋" : ""}${n % 4 ? ` ↻${90 * (n % 4)}°` : ""}`;
}

// inside returns the corner of a patch, moved as little as possible so that the whole patch is on
// the quilt.
function inside(patch: Patch, turn: string, [x, y]: Cell): Cell {
	const [w, h] = sizeOf(patch.shapes[turn]);
	return [Math.max(0, Math.min(9 - w, x)), Math.max(0, Math.min(9 - h, y))];
}

// lastOf returns the cells that the last action covered, and the seat of the player whose quilt it
// was.
function lastOf(position: Position, previous: Position | undefined, history: Position[] | undefined): { seat: number;
	cells: Cell[] } | undefined
{
	const before = history?.[history.length - 2] ?? previous, move = position.move && placementOf(position.move);
	const patch = before && move && patchOf(before, move.letter);
	return patch ? { seat: players.indexOf(before.to_move), cells: cellsAt(patch, move) } : undefined;
}

const steps = (before: Position) => {
	const seat = before.to_move === "first" ? 0 : 1, seats = seatsOf(before.position),
		to = Math.min(seats[1 - seat].time + 1, sketchOf(before).finish);
	return { to, gain: to - seats[seat].time };
};

export const patchwork: GameUI = { side: (player) => nameOf(player === "first" ? 0 : 1), words: (before, action) => {
	const p = placementOf(action);
	if (!p) return say("advances to {0}, gains {1}", steps(before).to, steps(before).gain);
	const patch = patchOf(before, p.letter), at = cellName([p.x, p.y]);
	if (!patch || p.letter === sketchOf(before).special.letter) return say("special patch at {0}", at);
	return say("buys {0} at {1}", p.letter, at + turnWords(p.turn));
}, picture: (before, action) => {
	const p = placementOf(action), patch = p && patchOf(before, p.letter);
	if (!p) {
		return <span class="deal">
			<span class="advance-arrow">→ {steps(before).to}</span>
			<span class="price">
				<span>
					+{steps(before).gain} <ButtonIcon />
				</span>
			</span>
		</span>;
	}
	if (!patch) return undefined;
	return <span class="deal" title={about(patch)}>
		<Shape patch={patch} turn={p.turn} unit={6} />
		<span class="dim">{cellName([p.x, p.y])}</span>
		{p.letter !== sketchOf(before).special.letter && <Price patch={patch} />}
	</span>;
}, Board, Setup: PatchworkSetup, variants: { "patchwork-seven": phrase("with the 7×7 tile") },
	usual: "patchwork-seven" };
