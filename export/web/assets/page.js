// The page: a game, its players, and what the bot thinks.
import * as cards from "./cards.js";
import * as patchwork from "./patchwork.js";
import * as oanquan from "./oanquan.js";
import * as plain from "./plain.js";

const boards = { onitama: cards, wallonitama: cards, patchwork, "patchwork-seven": patchwork, oanquan, "oanquan-traditional": oanquan };
const $ = (id) => document.getElementById(id);

// ask calls a function of the worker.
const worker = new Worker("worker.js");
const waiting = new Map();
let ready, asked = 0;
const started = new Promise((r) => (ready = r));
worker.onmessage = ({ data }) => {
  if (data.ready) return ready();
  const w = waiting.get(data.id);
  if (!w) return fail(data.error);
  waiting.delete(data.id);
  data.error ? w.reject(new Error(data.error)) : w.resolve(data.result);
};
function ask(name, ...args) {
  return new Promise((resolve, reject) => {
    waiting.set(++asked, { resolve, reject });
    worker.postMessage([asked, name, ...args]);
  });
}

let game, draw;
let states = []; // all positions of the game, the last is now
let record = [];
let turn = 0; // grows with every change, so that late answers are known

const now = () => states[states.length - 1];
const human = () => now().outcome === "ongoing" && $(now().to_move).value === "human";

function fail(error) {
  $("status").textContent = String(error?.message ?? error);
}

function show() {
  const s = now();
  draw(s, human() ? play : null);
  const score = s.score ? `, ${s.score[0]} to ${s.score[1]}` : "";
  $("status").textContent =
    s.outcome === "ongoing" ? (human() ? `you are to move (${s.to_move})` : `the bot is to move (${s.to_move})`) :
    s.outcome === "draw" ? `a draw${score}` : `${s.outcome} wins${score}`;
  $("record").replaceChildren(...record.map((r) => Object.assign(document.createElement("li"), { textContent: r })));
  $("record").scrollTop = 1e6;
  document.body.dataset.moves = record.length;
  document.body.dataset.state = s.outcome !== "ongoing" ? "over" : human() ? "human" : "bot";
}

async function play(action) {
  const mine = ++turn;
  document.body.dataset.state = "busy";
  const s = await ask("state", now().position, action);
  if (mine !== turn) return;
  record.push(action);
  states.push(s);
  $("hints").replaceChildren();
  next();
}

async function next() {
  show();
  if (now().outcome === "ongoing" && !human()) {
    const t = await think();
    if (t) play(t.move);
  }
}

// think searches the position in slices, so that undo and new are heard.
async function think() {
  const mine = ++turn, s = now(), visits = +$("visits").value;
  for (;;) {
    const t = await ask("think", s.position, visits, 60);
    if (mine !== turn) return null;
    $("thought").textContent = `value for first ${t.value >= 0 ? "+" : "−"}${Math.abs(t.value).toFixed(2)} after ${t.visits} simulations`;
    $("bar").firstElementChild.style.width = `${50 + 50 * t.value}%`;
    count(t);
    if (t.done) return t;
  }
}

let made = 0, spent = 0;
function count(t) {
  made += t.made;
  spent += t.seconds;
  if (spent > 0) $("speed").textContent = `${Math.round(made / spent)} simulations/s in this browser`;
}

async function start() {
  const mine = ++turn;
  document.body.dataset.state = "busy";
  const s = await ask("start", Math.floor(Math.random() * 2 ** 31));
  if (mine !== turn) return;
  states = [s];
  record = [];
  $("hints").replaceChildren();
  next();
}

function undo() {
  turn++;
  do {
    if (states.length < 2) break;
    states.pop();
    record.pop();
  } while (!human() && states.length > 1);
  $("hints").replaceChildren();
  next();
}

async function hint() {
  const s = now();
  if (s.outcome !== "ongoing") return;
  const t = await think();
  if (!t) return;
  const sign = s.to_move === "first" ? 1 : -1;
  const best = t.moves.slice(0, 5);
  $("hints").replaceChildren(...best.map((c) => Object.assign(document.createElement("li"), {
    textContent: `${c.move}  ${(100 * c.visits / Math.max(1, t.visits)).toFixed(0)} %  value ${(sign * c.value).toFixed(2)}`,
  })));
}

try {
  await started;
  const model = await ask("load", "model.safetensors");
  game = model.game;
  const board = boards[game.split(":")[0]] ?? plain;
  draw = (s, act) => board.draw($("board"), s, game, act);
  $("title").textContent = document.title = `dojo: ${game}`;
  $("origin").textContent = `model ${model.model}, hash ${model.hash}, ${model.network}`;
  $("provenance").textContent = (await (await fetch("provenance.txt")).text()).trim().replaceAll("\n", "; ");
  $("new").onclick = start;
  $("undo").onclick = undo;
  $("hint").onclick = hint;
  $("first").onchange = $("second").onchange = () => { turn++; next(); };
  await start();
} catch (e) {
  fail(e);
}
