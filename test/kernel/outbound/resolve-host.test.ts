import { promises as dns } from "node:dns";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { createGuardedFetch } from "../../../src/kernel/outbound/guarded-fetch.ts";
import { createDnsLookup } from "../../../src/kernel/outbound/resolve-host.ts";
import { eventually } from "../http/support/sockets.ts";
import { type DnsServer, startDnsServer } from "./dns-server.ts";
import { type LoopbackServer, startHttp } from "./loopback-server.ts";

const never = new AbortController().signal;

let server: DnsServer;
beforeEach(async () => {
  server = await startDnsServer({
    "app.test": ["192.0.2.1", "192.0.2.2", "2001:db8::1"],
    "four.test": ["192.0.2.4"],
    "six.test": ["2001:db8::6"],
    "here.test": ["127.0.0.1"],
    "hangs-0.test": "silence",
    "hangs-1.test": "silence",
    "hangs-2.test": "silence",
    "hangs-3.test": "silence",
  });
});
afterEach(() => server.close());

const openResolver = () => {
  const resolver = new dns.Resolver({ timeout: 5000, tries: 10 });
  resolver.setServers([server.address]);
  return resolver;
};

describe("the addresses of a name", () => {
  test.each([
    ["app.test", ["192.0.2.1", "192.0.2.2", "2001:db8::1"]],
    ["four.test", ["192.0.2.4"]],
    ["six.test", ["2001:db8::6"]],
    ["unknown.test", []],
  ])("%s are those of both families", async (name, addresses) => {
    const found = await createDnsLookup(openResolver)(name, never);
    expect(found).toEqual(addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));
  });
});

const hanging = ["hangs-0.test", "hangs-1.test", "hangs-2.test", "hangs-3.test"];

test("names that their servers do not answer for keep no other name waiting, and are given up by the signal", async () => {
  const end = new AbortController();
  const lookUp = createDnsLookup(openResolver);
  let ended = 0;
  const all = hanging.map((name) => lookUp(name, end.signal).finally(() => ended++));
  await eventually(() => server.asked().length === 2 * hanging.length);
  expect(await lookUp("four.test", never)).toHaveLength(1);
  expect(ended).toBe(0);
  end.abort();
  await eventually(() => ended === hanging.length);
  expect(await Promise.all(all)).toEqual([[], [], [], []]);
});

describe("a guarded fetch", () => {
  const limits = { timeoutMs: 5000, maxBytes: 100, maxRedirects: 0 };
  let web: LoopbackServer;
  beforeEach(async () => {
    web = await startHttp((_request, response) => response.end("found"));
  });
  afterEach(() => web.close());

  test("asks DNS servers, while four names hang, and connects to no private address", async () => {
    const end = new AbortController();
    const { get } = createGuardedFetch({ dev: false, allowedHosts: [], openResolver });
    const waiting = hanging.map((name) => get(`https://${name}/`, { ...limits, signal: end.signal }));
    await eventually(() => server.asked().length === 2 * hanging.length);
    const outcome = await get(`https://here.test:${web.port}/`, limits);
    expect(outcome).toEqual(await get(`https://unknown.test:${web.port}/`, limits));
    expect([outcome.kind, web.connectionCount()]).toEqual(["unreachable", 0]);
    expect(server.asked()).toContain("here.test");
    end.abort();
    expect((await Promise.allSettled(waiting)).map(({ status }) => status)).toEqual(
      hanging.map(() => "rejected"),
    );
  });

  test("asks the operating system for loopback names with dev and for allowed hosts, and no DNS server", async () => {
    const dev = createGuardedFetch({ dev: true, allowedHosts: [], openResolver });
    expect((await dev.get(`http://localhost:${web.port}/`, limits)).kind).toBe("document");
    const named = createGuardedFetch({ dev: false, allowedHosts: ["localhost"], openResolver });
    await named.get(`https://localhost:${web.port}/`, limits);
    expect(web.connectionCount()).toBe(2); // the second one speaks TLS to it in vain
    expect(server.asked()).toEqual([]);
  });
});
