// This script opens the pages behind a proxy in Chromium: node proxied.mjs ADDRESS. The address
// contains the token. Its host name leads to this machine. The last line of output lists what went
// wrong, as JSON.
import { chromium } from "playwright-core";

const [address] = process.argv.slice(2);
const { hostname } = new URL(address);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", `--host-resolver-rules=MAP ${hostname} 127.0.0.1`],
});
const page = await browser.newPage({ ignoreHTTPSErrors: true });
page.setDefaultTimeout(60_000); // long, because the machine may be busy
const wrong = [];
page.on("pageerror", (e) => wrong.push(String(e)));
page.on("console", (m) => m.type() === "error" && wrong.push(m.text()));
page.on("response", (r) => r.status() >= 400 && wrong.push(`${r.url()}: ${r.status()}`));

await page.goto(address);
await page.locator("[data-run=small]").waitFor();
if (page.url().includes("token")) wrong.push(`the address still has the token: ${page.url()}`);
await page.goto(address.replace(/#.*/, "#play")); // a game begins with a request that needs the token
await page.waitForFunction(() => ["person", "over"].includes(document.body.dataset.state));
await browser.close();
console.log(JSON.stringify(wrong));
