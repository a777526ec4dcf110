// This script measures the contrast of SVG drawings, which axe does not check. It compares the
// colour of each text with the colour behind the middle of the text, and the lines of charts and the
// dots of players with the page's background.

// The minimum contrast of meaningful graphics other than text is 3:1 (WCAG 2.2, 1.4.11).
const lines = ".curve .solid, .curve .dashed, .curve .dotted, .evolution .line, .evolution .now, .value-curve .search, .value-curve .network, .axes .nought, .cross";

/** Lists the texts, lines and dots of a page that have too little contrast. */
export function faint(page) {
  return page.evaluate((lines) => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], [x, y, z]) => [a * r + (1 - a) * x, a * g + (1 - a) * y, a * b + (1 - a) * z, 1];
    const light = (c) => {
      const [r, g, b] = c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
    // opacity returns the opacity of an element within its drawing.
    const opacity = (e, svg) => { let o = 1; for (let x = e; x !== svg.parentElement; x = x.parentElement) o *= Number(getComputedStyle(x).opacity); return o; };
    const faded = (colour, o) => { const [r, g, b, a] = rgba(colour); return [r, g, b, a * o]; };
    const behind = (svg) => {
      const above = [];
      for (let e = svg; e; e = e.parentElement) above.unshift(rgba(getComputedStyle(e).backgroundColor));
      return above.reduce((under, c) => over(c, under), [255, 255, 255, 1]);
    };
    // fills returns the possible colours of a fill. A gradient has several colours.
    const fills = (value) => {
      const [, id] = /url\("?#([^")]+)/.exec(value) ?? [];
      return id ? [...document.getElementById(id).querySelectorAll("stop")].map((s) => getComputedStyle(s).stopColor) : value === "none" ? [] : [value];
    };
    const shown = (e) => { const { width, height } = e.getBoundingClientRect(); return width > 0 && height > 0 && getComputedStyle(e).visibility === "visible"; };
    const bad = [];
    for (const text of document.querySelectorAll("svg text")) {
      if (!shown(text) || !text.textContent.trim()) continue;
      const svg = text.ownerSVGElement, box = text.getBoundingClientRect(), style = getComputedStyle(text);
      let under = [behind(svg)];
      for (const shape of svg.querySelectorAll("path, rect, circle, ellipse, polygon")) {
        if (!(shape.compareDocumentPosition(text) & Node.DOCUMENT_POSITION_FOLLOWING) || shape.closest("clipPath, defs") || !shown(shape)) continue;
        const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(shape.getScreenCTM().inverse());
        if (!shape.isPointInFill(at)) continue;
        const s = getComputedStyle(shape), painted = fills(s.fill).map((f) => faded(f, opacity(shape, svg) * Number(s.fillOpacity)));
        if (painted.length) under = painted.flatMap((p) => under.map((u) => over(p, u)));
      }
      // If the text has a wide outline, measure its contrast to the outline.
      if (style.paintOrder.startsWith("stroke") && parseFloat(style.strokeWidth) >= 2) under = [rgba(style.stroke)];
      const size = parseFloat(style.fontSize) * text.getScreenCTM().a, large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const ratio = Math.min(...under.flatMap((u) => fills(style.fill).map((f) => contrast(over(faded(f, opacity(text, svg)), u), u))));
      if (ratio < (large ? 3 : 4.5)) bad.push(`"${text.textContent.trim()}" (${text.parentElement.getAttribute("class")}): ${ratio.toFixed(2)}`);
    }
    for (const line of document.querySelectorAll(lines)) {
      if (!line.ownerSVGElement || line.closest(".faint") || getComputedStyle(line).stroke === "none") continue;
      const under = behind(line.ownerSVGElement), ratio = contrast(over(faded(getComputedStyle(line).stroke, opacity(line, line.ownerSVGElement)), under), under);
      if (ratio < 3) bad.push(`the line ${line.getAttribute("class")} (${line.parentElement.getAttribute("class")}): ${ratio.toFixed(2)}`);
    }
    for (const dot of document.querySelectorAll(".dot.first, .dot.second")) {
      const style = getComputedStyle(dot), under = behind(dot.parentElement);
      const seen = [style.backgroundColor, ...(parseFloat(style.borderTopWidth) ? [style.borderTopColor] : [])];
      const ratio = Math.max(...seen.map((c) => contrast(over(rgba(c), under), under)));
      if (shown(dot) && ratio < 3) bad.push(`the dot ${dot.className}: ${ratio.toFixed(2)}`);
    }
    return [...new Set(bad)];
  }, lines);
}
