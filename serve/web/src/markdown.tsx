// This file renders the subset of Markdown that the rules use: headings, paragraphs, lists, tables
// and code blocks. Within a line it renders code, emphasis and links (as plain words).
import type { ComponentChildren } from "preact";
import { say } from "./words";

export function Markdown({ text }: { text: string }) {
	return <div class="markdown">{blocks(text)}</div>;
}

function blocks(text: string): ComponentChildren[] {
	const out: ComponentChildren[] = [], lines = text.split("\n");
	for (let i = 0; i < lines.length;) {
		const line = lines[i];
		const take = (test: (l: string) => boolean): string[] => {
			const from = i;
			while (i < lines.length && test(lines[i])) i++;
			return lines.slice(from, i);
		};
		if (line.startsWith("```")) {
			i++;
			out.push(<pre tabindex={0}>{take((l) => !l.startsWith("```")).join("\n")}</pre>);
			i++;
		} else if (line.startsWith("#")) {
			const level = /^#+/.exec(line)![0].length, words = line.slice(level).trim();
			out.push(level === 1 ? <h3>{words}</h3> : <h4>{words}</h4>);
			i++;
		} else if (/^\s*\|/.test(line)) {
			const rows = take((l) => /^\s*\|/.test(l)).filter((l) => !/^[|\s:-]+$/.test(l)).map((l) =>
				l.trim().split("|").slice(1, -1)
			);
			out.push(<div class="scrolls" tabindex={0} role="group" aria-label={say("table")}>
				<table>
					<thead>
						<tr>{rows[0].map((c) => <th>{inline(c.trim())}</th>)}</tr>
					</thead>
					<tbody>{rows.slice(1).map((r) => <tr>{r.map((c) => <td>{inline(c.trim())}</td>)}</tr>)}</tbody>
				</table>
			</div>);
		} else if (/^\s*([-*]|\d+\.) /.test(line)) {
			out.push(list(take((l) => /^\s*([-*]|\d+\.) /.test(l) || /^\s+[^\s|]/.test(l))));
		} else if (line.trim() === "") {
			i++;
		} else {
			out.push(<p>{inline(take((l) => l.trim() !== "" && !/^(#|\s*\||```)/.test(l)).join(" "))}</p>);
		}
	}
	return out;
}

// list renders a list. Its items may have several lines and contain other lists.
function list(lines: string[]): ComponentChildren {
	const indent = /^\s*/.exec(lines[0])![0].length;
	const items: string[][] = [];
	for (const l of lines) {
		if (new RegExp(`^\\s{0,${indent + 1}}([-*]|\\d+\\.) `).test(l)) items.push([l.replace(/^\s*([-*]|\d+\.) /, "")]);
		else items[items.length - 1].push(l);
	}
	const all = items.map((item) => {
		const nested = item.findIndex((l, n) => n > 0 && /^\s*([-*]|\d+\.) /.test(l));
		const own = nested < 0 ? item : item.slice(0, nested);
		return <li>{inline(own.map((l) => l.trim()).join(" "))}{nested >= 0 && list(item.slice(nested))}</li>;
	});
	return /^\s*\d/.test(lines[0]) ? <ol>{all}</ol> : <ul>{all}</ul>;
}

function inline(text: string): ComponentChildren[] {
	return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|\[[^\]]+\]\([^)]+\))/).map((part) => {
		if (part.startsWith("`")) return <code>{part.slice(1, -1)}</code>;
		if (part.startsWith("**")) return <b>{part.slice(2, -2)}</b>;
		if (part.startsWith("*") && part.length > 2) return <em>{part.slice(1, -1)}</em>;
		const link = /^\[([^\]]+)\]\(/.exec(part);
		return link ? link[1] : part;
	});
}
