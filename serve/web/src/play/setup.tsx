// The panel in which the user enters positions and games: as text, by clicks, or from a file.
import type { ComponentChild } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Backend, Position } from "../backend/backend";
import type { GameUI } from "../boards/board";
import { say } from "../words";
import type { Table } from "./table";
import { showStage } from "./toolbar";

/** A position editor, and the game that it edits. */
export interface Editor {
	game: string;
	content: ComponentChild;
}

export function SetupPanel(
	{ table, backend, ui, edit }: { table: Table; backend: Backend; ui: GameUI; edit(e: Editor | undefined): void },
) {
	const now = table.now!;
	const [text, setText] = useState(now.position);
	const [good, setGood] = useState<Position>(now);
	const [wrong, setWrong] = useState("");
	const latest = useRef(text); // an answer about an older text is ignored
	latest.current = text;
	useEffect(() => {
		setText(now.position);
		setGood(now);
		setWrong("");
	}, [now]);
	const change = async (next: string) => {
		setText(latest.current = next);
		try {
			const [first] = await backend.read(now.game, next);
			if (latest.current !== next) return;
			setGood(first);
			setWrong("");
		} catch (e) {
			if (latest.current === next) setWrong((e as Error).message);
		}
	};
	const root = useRef<HTMLDivElement>(null);
	const close = () => root.current?.closest("details")?.removeAttribute("open");
	const use = async () => {
		try {
			await table.load(now.game, text);
			close();
		} catch (e) {
			setWrong((e as Error).message);
		}
	};
	const file = async (input: HTMLInputElement) => {
		const f = input.files?.[0];
		if (!f) return;
		if (f.size > 1 << 20) {
			setWrong(`${f.name}: ${say("the file is larger than 1 MB")}`);
			return;
		}
		const content = await f.text();
		input.value = "";
		setText(content.trim());
		try {
			await table.load(now.game, content);
			close();
		} catch (e) {
			setWrong(`${f.name}: ${(e as Error).message}`);
		}
	};
	// While this panel is open, the position editor takes the place of the board.
	useLayoutEffect(() =>
		edit(ui.Setup && { game: good.game, content: <div class="setup">
			<ui.Setup position={good} text={text.trim()} change={(s) => void change(s)} />
			<div class="row setup-end">
				<button id="use-here" class="primary" disabled={!!wrong} onClick={() => void use()}>
					{say("Continue from here")}
				</button>
				<Wrong text={wrong} />
			</div>
		</div> }), [good, text, wrong]);
	useLayoutEffect(() => {
		showStage();
		return () => edit(undefined);
	}, []);
	return <div class="setup-panel" ref={root}>
		<label class="whole">
			{say("Position or saved game as text")}
			<textarea id="text" rows={3} spellcheck={false} value={text}
				onInput={(e) => void change(e.currentTarget.value)} />
		</label>
		<Wrong text={wrong} role="alert" />
		<div class="row">
			<button id="use" class="primary" disabled={!!wrong} onClick={() => void use()}>
				{say("Continue from here")}
			</button>
			<label class="file">
				{say("Load a file")}
				<input type="file" accept=".txt,text/plain" onChange={(e) => void file(e.currentTarget)} />
			</label>
		</div>
	</div>;
}

// Wrong says why the text is not a legal position. It takes the same space without a message, so
// that the board does not move when a message appears or vanishes. A long message scrolls.
function Wrong({ text, role }: { text: string; role?: "alert" }) {
	return <div class="setup-wrong" tabindex={text ? 0 : undefined}>
		{text && <span class="error small" role={role}>{say("This is not a legal position: {0}", text)}</span>}
	</div>;
}
