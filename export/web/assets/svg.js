// Small helpers to draw with.

export function svg(width, height) {
  const root = element("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" });
  return root;
}

export function element(name, attributes = {}, parent = null, text = null) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
  if (text !== null) e.textContent = text;
  if (parent) parent.append(e);
  return e;
}

// can makes an element clickable, by mouse and keyboard.
export function can(e, action) {
  e.classList.add("can");
  e.setAttribute("tabindex", "0");
  e.setAttribute("role", "button");
  e.addEventListener("click", action);
  e.addEventListener("keydown", (k) => {
    if (k.key === "Enter" || k.key === " ") {
      k.preventDefault();
      action();
    }
  });
  return e;
}
