// The game on the table: its positions, where in it one looks, and what is done to it.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Backend, Position } from "../backend/backend";
import { boardOf } from "../boards";

export interface Game {
  positions: Position[]; // from the start on, at least one
  at: number; // the one that is looked at
  went: "on" | "back" | "new"; // how the page came to look there: only steps on are animated
  before?: Game; // the game that this one took the place of
}

export interface Table {
  game?: Game;
  now?: Position;
  atEnd: boolean;
  busy(): boolean; // whether something that was asked for is still to come
  error: string;
  /** Plays an action where one looks; what came after is dropped. */
  act(action: string): Promise<void>;
  go(at: number): void;
  /** Begins a new game. */
  fresh(game: string, standard?: boolean): Promise<void>;
  /** Comes back to the game that a new or a loaded one took the place of. */
  restore(): void;
  /** Puts a position or a saved game on the table; an Error says what is wrong with the text. */
  load(game: string, text: string): Promise<void>;
  report(error: unknown): void;
}

/** The part of the address behind #: the game, where it began, its moves and where one looks. */
export function linkOf(g: Pick<Game, "positions" | "at">, page = "play"): string {
  const query = new URLSearchParams({ game: g.positions[0].game, position: g.positions[0].position });
  if (g.positions.length > 1) query.set("moves", g.positions.slice(1).map((p) => p.move).join(","));
  if (g.at < g.positions.length - 1) query.set("at", String(g.at));
  return `#${page}?${query}`;
}

export function useTable(backend: Backend, query: URLSearchParams, games: string[]): Table {
  const [game, setGame] = useState<Game>();
  const [error, setError] = useState("");
  const latest = useRef<Game | undefined>(undefined);
  const asked = useRef(0); // grows with every change, so that late answers are known
  const put = (g: Game) => { latest.current = g; setGame(g); setError(""); };
  const [, setReports] = useState(0); // the page is drawn again even if the error is the same
  const report = (e: unknown) => { setError(e instanceof Error ? e.message : String(e)); setReports((n) => n + 1); };

  const waiting = useRef(0);
  async function change(get: () => Promise<Game | undefined>) {
    const mine = ++asked.current;
    waiting.current++;
    document.body.dataset.state = "busy";
    try {
      const g = await get();
      if (mine === asked.current && g) put(g);
    } catch (e) {
      if (mine === asked.current) report(e);
    } finally {
      waiting.current--;
      setReports((n) => n + 1);
    }
  }

  const fresh = (name: string, standard = false) => change(async () => {
    const usual = standard ? boardOf(name).standard : undefined;
    const positions = usual ? await backend.follow(name, usual, []) : [await backend.start(name, Math.floor(Math.random() * 2 ** 31))];
    return { positions, at: 0, went: "new", before: replaced() };
  });
  // What a new game takes the place of: a game in which something was played.
  const replaced = () => (latest.current && latest.current.positions.length > 1 ? { ...latest.current, went: "new" as const, before: undefined } : latest.current?.before);

  // The game of a link; a link that cannot be read is reported, and a new game begins.
  const text = query.toString();
  useEffect(() => {
    const name = query.get("game"), position = query.get("position");
    const fallback = games[0];
    if (!position) { void fresh(name && games.includes(name) ? name : fallback); return; }
    void (async () => {
      const mine = ++asked.current;
      try {
        if (!name || !games.includes(name)) throw new Error(`no bot here plays ${name ?? "a game without a name"}`);
        const moves = (query.get("moves") ?? "").split(",").filter(Boolean);
        const positions = await backend.follow(name, position, moves);
        const at = Number(query.get("at") ?? positions.length - 1);
        if (mine === asked.current) put({ positions, at: Number.isInteger(at) ? Math.max(0, Math.min(positions.length - 1, at)) : positions.length - 1, went: "new" });
      } catch (e) {
        if (mine !== asked.current) return;
        await fresh(name && games.includes(name) ? name : fallback);
        report(e);
      }
    })();
  }, [text]);

  // The address follows the game, so that it can be shared and survives a reload.
  useEffect(() => { if (game) history.replaceState(null, "", linkOf(game)); }, [game]);

  const now = game?.positions[game.at];
  return {
    game, now, error, fresh, report,
    busy: () => waiting.current > 0,
    atEnd: !!game && game.at === game.positions.length - 1,
    act: (action) => change(async () => {
      const g = latest.current!;
      if (g.positions[g.at + 1]?.move === action) return { ...g, at: g.at + 1, went: "on" };
      const [, after] = await backend.follow(g.positions[g.at].game, g.positions[g.at].position, [action]);
      return { positions: [...g.positions.slice(0, g.at + 1), after], at: g.at + 1, went: "on", before: g.before };
    }),
    restore: () => {
      const before = latest.current?.before;
      if (!before) return;
      asked.current++;
      put(before);
    },
    go: (at) => {
      const g = latest.current;
      if (!g || at < 0 || at >= g.positions.length || at === g.at) return;
      asked.current++;
      put({ ...g, at, went: at === g.at + 1 ? "on" : "back" });
    },
    load: async (name, text) => {
      const mine = ++asked.current;
      const positions = await backend.read(name, text);
      if (mine === asked.current) put({ positions, at: positions.length - 1, went: "new", before: replaced() });
    },
  };
}
