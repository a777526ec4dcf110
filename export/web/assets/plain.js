// A game without a drawing of its own: its text, and a button for each action.

export function draw(host, s, game, act) {
  const text = document.createElement("pre");
  text.textContent = s.drawing ?? s.position;
  const row = document.createElement("div");
  row.className = "moves";
  for (const a of act ? s.legal : []) {
    const b = document.createElement("button");
    b.className = "can";
    b.textContent = a;
    b.onclick = () => act(a);
    row.append(b);
  }
  host.replaceChildren(text, row);
}
