import { expect, test } from "@jest/globals";
import { useConsoleStage } from "./support/console-stage.ts";
import { writeFileSync, appendFileSync } from "node:fs";

const stage = useConsoleStage();
const out = "/tmp/load/waterfall.txt";
test("measures", async () => {
  writeFileSync(out, "");
  const first = await stage().open("/");
  await first.heading("Hello, Ada Lovelace");
  const storageState = { cookies: (await first.page.context().storageState()).cookies, origins: [] };
  const org = stage().organizationId;
  for (const [place, ready] of [
    ["/", ".cards li"],
    [`/orgs/${org}/users`, "table tbody tr"],
    ["/events", ".event-row, [class*=event] time, table tbody tr"],
    [`/orgs/${org}/projects`, "main .empty, main tbody tr"],
    [`/orgs/${org}`, "main dl, main form"],
    [`/orgs/${org}/users/${stage().owner.id}`, "main dl, main form"],
    ["/login-policy", "main form"],
  ] as const) {
    const { page } = await stage().profile({ storageState });
    const cdp = await page.context().newCDPSession(page);
    await cdp.send("Network.enable");
    const fast = process.env["FAST"] === "1";
    if (!fast) await cdp.send("Network.emulateNetworkConditions", { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 });
    const rows = new Map<string, any>();
    cdp.on("Network.requestWillBeSent", (e) => rows.set(e.requestId, { url: e.request.url, start: e.timestamp, type: e.type }));
    cdp.on("Network.loadingFinished", (e) => Object.assign(rows.get(e.requestId) ?? {}, { end: e.timestamp, size: e.encodedDataLength }));
    await page.addInitScript(`new PerformanceObserver((l) => { for (const e of l.getEntries()) if (!e.hadRecentInput) window.cls = (window.cls ?? 0) + e.value; }).observe({ type: "layout-shift", buffered: true });`);
    const began = Date.now();
    await page.goto(`http://localhost:${stage().service.port}/console${place}`, { waitUntil: "commit" });
    await page.locator(ready).first().waitFor({ timeout: 20000 }).catch(() => appendFileSync(out, "NOT READY\n"));
    const took = Date.now() - began;
    const snapshot = [...rows.values()];
    const zero = Math.min(...snapshot.map((r) => r.start));
    const total = snapshot.reduce((sum, r) => sum + (r.size ?? 0), 0);
    const cls = await page.evaluate("window.cls ?? 0");
    appendFileSync(out, `\n== ${place}: ${took} ms, ${total} bytes, ${snapshot.length} requests, cls ${cls}\n`);
    for (const r of snapshot) appendFileSync(out, `${((r.start - zero) * 1000).toFixed(0).padStart(6)} ${r.end ? ((r.end - zero) * 1000).toFixed(0).padStart(6) : "     -"} ${String(r.size ?? "-").padStart(7)} ${new URL(r.url).pathname}\n`);
    await page.context().close();
  }
  expect(1).toBe(1);
}, 200_000);
