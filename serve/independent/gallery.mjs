// This script takes screenshots of every page, and of each game in the middle of a game, on a
// desktop and on a phone, in light and in dark colours.

const games = {
  onitama: ["bbBbb/...../...../...../wwWww 0 0,2 12,10 1 0", "0 E1D2,12 A5B4,1 A1A2,10 E5C4,2 D1C2,0 B5A5,12 A2B2,2 D5E4,0 B1A2,12 A5B5"],
  wallonitama: ["bbBbb/..W../...../...../aaAaa A 50 .......x....ox...x....... ........x...o.x..x....... ......x.x...o....x....... .......x....o....x.x..... ......x.x..xox........... pawn", "2e1d2,l,2a1b1,l,1e4d4,u,2a5b4,d,1e5d5,s,2b2c2,r,1d2c3,l"],
  "patchwork-seven": ["gOfWLTXIMePGUJREDCQVbFSHNYBcZaKdA 0:5:0:0/0/0/0/0/0/0/0/0 0:5:0:0/0/0/0/0/0/0/0/0 1 0 - -", ".,.,.,fAAF,LBAA,.,.,TDAA,MCAB,eFAF,GFAB,RDBB,EBBF,CACC,.,hDAA,.,.,.,.,VCDB,hHBA,bCDD,HGDC,NIBB"],
  oanquan: ["10,5,5,5,5,5,10,5,5,5,5,5 0,0 2 11 0", "8-,1-,11+,5+"],
  tictactoe: [".........", "b2,a1"],
  amazons: [".x..x./x....x/....../....../o....o/.o..o. first", "b1b3b1,b6b5c5,e1e4c4"],
};

// The address of each page, and an element that is present when the page is ready.
const pages = {
  dashboard: ["runs", ".chart .curve"], generation: ["runs?axis=generation&more=1&point=small/1", ".generation .card"],
  games: ["games", ".card .board"], game: ["games?generation=1&number=3&ply=2", ".value-curve .network"], watch: ["watch?run=small", ".watch .shares li"], learn: ["learn", ".lessons a"],
};
for (const [game, [position, moves]] of Object.entries(games)) {
  pages[`play-${game}`] = [`play?${new URLSearchParams({ game, position, moves })}`, ".ranked li, #counts"];
  if (game !== "tictactoe" && game !== "amazons") pages[`rules-${game}`] = [`rules?game=${game}`, ".rules li:nth-child(6) .board"];
}

export async function gallery({ open, address, look }) {
  const sizes = { "": {}, "-phone": { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } };
  await Promise.all(Object.entries(sizes).flatMap(([size, options]) => ["light", "dark"].map(async (colorScheme) => {
    const page = await open({ ...options, colorScheme });
    for (const [name, [hash, there]] of Object.entries(pages)) {
      await page.goto("about:blank");
      await page.goto(`${address}#${hash}`);
      await page.locator(there).first().waitFor();
      await look(page, `${name}${size}${colorScheme === "dark" ? "-dark" : ""}`, { onlyColours: colorScheme === "dark" });
    }
    await page.context().close();
  })));
}
