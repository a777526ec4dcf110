// This script visits the page of a game twice: first while the page's program downloads slowly, and
// then offline: node visit.mjs FOLDER. It prints the results as JSON.
import { serve, settled, stateOf } from "./site.mjs";

const site = await serve(process.argv[2]);
const result = { errors: [] };
const go = site.hold("dojo.wasm.gzip");
const page = await site.open(".", "", result.errors, { first: true });
const share = () => page.evaluate(() => { const bar = document.querySelector("progress"); return bar?.hidden === false ? bar.position : 0; });
await page.waitForFunction(() => document.querySelector("progress")?.hidden === false);
// Wait until the whole model and half of the program have arrived.
await page.waitForFunction(() => document.querySelector("progress").position > 0.5);
result.share = await share();
result.early = await page.locator(".board").count();
go();
await settled(page);
result.bar = await page.locator("progress").count();

// Once the service worker is ready, the page works offline.
const devtools = await page.context().newCDPSession(page);
await page.evaluate(() => navigator.serviceWorker.ready);
// Ignore the error "in-incognito": the tests themselves open all pages in incognito mode.
result.installing = (await devtools.send("Page.getInstallabilityErrors")).installabilityErrors.map((e) => e.errorId).filter((id) => id !== "in-incognito");
await site.closeServer();
await page.reload();
await settled(page);
const { moves } = await stateOf(page);
await page.locator(".board .can").first().click();
await page.waitForFunction((n) => +document.body.dataset.moves > n + 1, moves); // wait until the bot has answered
result.offline = true;
await site.close();
console.log(JSON.stringify(result));
