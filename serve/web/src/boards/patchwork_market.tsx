// The patches of Patchwork in the order of their circle: first the patches that can be bought, then
// the others.
import type { Position } from "../wire";
import { useRef } from "preact/hooks";
import { say } from "../words";
import { sketchOf, sizeOf, type Patch } from "./patches";
import { ButtonIcon, Clock, Shape } from "./patchwork_cloth";
import { useShifts } from "./tools";

/** Shows the cost of a patch. */
export function Price({ patch }: { patch: Patch }) {
	return <span class="price">
		<span>
			<ButtonIcon />
			{patch.buttons}
		</span>
		<span>
			<Clock />
			{patch.time}
		</span>
	</span>;
}

/** A bar along a button that shows how much a search prefers the button's action. */
export const Share = ({ part }: { part: number }) =>
	<span class="share" style={{ width: `${100 * Math.min(1, part)}%` }} aria-hidden />;

export const about = (p: Patch) =>
	say("patch {0}: costs {1} buttons and {2} time, income {3}", p.letter, p.buttons, p.time, p.income);

export function Market(
	{ position, hand, buyable, share, take, startDrag }: { position: Position; hand?: { letter: string; turn: string };
		buyable: Set<string>; share(letter: string): number; take?(letter: string): void;
		startDrag(e: PointerEvent, letter: string): void },
) {
	const { circle, offers: open } = sketchOf(position);
	const offers = circle.slice(0, open), later = circle.slice(open);
	const root = useRef<HTMLElement>(null);
	useShifts(root, position.position);
	return <section class="market" ref={root} tabindex={0}
		aria-label={say("Patches in the circle: {0}; on offer, after the token: {1}", circle.length,
			offers.map((p) => p.letter).join(", ") || "–")}>
		<div class="offers">
			{offers.map((patch, i) => {
				const can = take && buyable.has(patch.letter), held = hand?.letter === patch.letter, part = share(patch.letter);
				return <button key={patch.letter} class={`offer ${can ? "can" : take ? "cannot" : ""} ${held ? "picked" : ""}`}
					data-patch={patch.letter} data-shift={patch.letter} disabled={!can} aria-pressed={held}
					aria-keyshortcuts={String(i + 1)} onClick={() => take!(patch.letter)}
					onPointerDown={(e) => startDrag(e, patch.letter)}>
					<span class="hidden">{about(patch)}</span>
					<kbd class="offer-key" aria-hidden>{i + 1}</kbd>
					<span class="offer-shape" aria-hidden>
						<Shape patch={patch} turn={held ? hand!.turn : "A"} unit={14} />
					</span>
					<span aria-hidden>
						<Price patch={patch} />
					</span>
					{part > 0.02 && <Share part={part} />}
				</button>;
			})}
		</div>
		<ol class="later" aria-label={say("Later patches")}>
			{later.map((patch) =>
				<li key={patch.letter} data-shift={patch.letter} title={about(patch)}>
					<span class="hidden">{about(patch)}</span>
					<span class="offer-shape" aria-hidden>
						<Shape patch={patch} turn={flat(patch)} unit={8} />
					</span>
					<span aria-hidden>
						<Price patch={patch} />
					</span>
				</li>
			)}
		</ol>
	</section>;
}

// flat returns an orientation in which a patch is not higher than wide, so that it takes less space
// in a row.
function flat(patch: Patch): string {
	const [w, h] = sizeOf(patch.shapes.A);
	return h <= w ? "A" : Object.keys(patch.shapes).find((t) => {
		const [a, b] = sizeOf(patch.shapes[t]);
		return b <= a;
	}) ?? "A";
}
