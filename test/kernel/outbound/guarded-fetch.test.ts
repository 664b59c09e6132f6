import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, test } from "@jest/globals";
import type { RequestListener } from "node:http";
import type { ResolvedAddress } from "../../../src/kernel/outbound/connection.ts";
import { createGuardedFetch, type GuardedFetchOptions } from "../../../src/kernel/outbound/guarded-fetch.ts";
import { createCertificate } from "./certificate.ts";
import { resolver } from "./resolver.ts";
import { startHttp, startHttps, startTcp, useServers } from "./loopback-server.ts";

const limits: GuardedFetchOptions = { timeoutMs: 5000, maxBytes: 1000, maxRedirects: 3 };
const certificate = createCertificate(["idp.test", "other.test", "localhost", "app.localhost", "127.0.0.1"]);
const loopback: ResolvedAddress = { address: "127.0.0.1", family: 4 };

const use = useServers();
describe("a forbidden URL", () => {
  // URLs that callers may give, with the port of a listener that must not see a connection.
  const hosts = [
    "127.0.0.1",
    "127.1",
    "127.0.0.1.",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.01",
    "127。0。0。1",
    "①②⑦.0.0.1",
    "%31%32%37.0.0.1",
    "127%2e0%2e0%2e1",
    "127.8.8.8",
    "0.0.0.0",
    "0",
    "00",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "%6cocalhost",
    "loc\u00adalhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "a.localhost",
    "a.localhost.",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[64:ff9b:1::127.0.0.1]",
    "[2002:7f00:1::]",
    "[2001:0:7f00:1::]",
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "[::ffff:169.254.169.254]",
    "168.63.129.16",
    "100.100.100.200",
    "10.0.0.1",
    "172.16.0.1",
    "192.168.0.1",
    "192.0.0.192",
    "198.18.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "224.0.0.1",
    "[fe80::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[2001:db8::1]",
    "[ff02::1]",
  ];

  test.each(hosts)("is one with the host %s, whatever the scheme", async (host) => {
    const canary = use(await startTcp((socket) => socket.destroy()));
    const { get } = createGuardedFetch({ dev: false, allowedHosts: [], resolve: async () => [loopback] });
    for (const scheme of ["https", "http"]) {
      const outcome = await get(`${scheme}://${host}:${canary.port}/`, limits);
      expect(outcome.kind).toBe("forbidden");
    }
    expect(canary.connectionCount()).toBe(0);
  });

  test.each([
    ["file:///etc/passwd", "must be an absolute http or https URL"],
    ["javascript:alert(1)", "must be an absolute http or https URL"],
    ["ftp://idp.test/", "must be an absolute http or https URL"],
    ["data:text/xml,<a/>", "must be an absolute http or https URL"],
    ["ws://idp.test/", "must be an absolute http or https URL"],
    ["https:idp.test", "must be an absolute http or https URL"],
    ["idp.test", "must be an absolute http or https URL"],
    ["", "must be an absolute http or https URL"],
    ["http://idp.test/", "must be an https URL"],
    ["https://user@idp.test/", "must not contain user info"],
    ["https://user:password@idp.test/", "must not contain user info"],
    ["https://127.0.0.1@idp.test/", "must not contain user info"],
    ["https://localhost/", "must name a public host"],
  ])("is %s", async (url, message) => {
    const { get } = createGuardedFetch({ dev: false, allowedHosts: [], resolve: neverCalled });
    expect(await get(url, limits)).toEqual({ kind: "forbidden", message });
  });

  test.each([
    "http://10.0.0.1/",
    "https://10.0.0.1/",
    "http://0.0.0.0/",
    "https://[::]/",
    "http://169.254.169.254/",
    "http://idp.test/",
    "http://8.8.8.8/",
    "http://user@localhost/",
    "file:///etc/passwd",
  ])("stays one with dev: %s", async (url) => {
    const { get } = createGuardedFetch({ dev: true, allowedHosts: [], resolve: neverCalled });
    expect((await get(url, limits)).kind).toBe("forbidden");
  });
});

describe("a name", () => {
  test.each([
    ["loopback", ["127.0.0.1"]],
    ["loopback of IPv6", ["::1"]],
    ["a mapped loopback address", ["::ffff:127.0.0.1"]],
    ["the unspecified address", ["0.0.0.0"]],
    ["a public and then a private address", ["8.8.8.8", "127.0.0.1"]],
    ["a private and then a public address", ["127.0.0.1", "8.8.8.8"]],
    ["no address", []],
    ["something that is no address", ["localhost"]],
  ])("that resolves to %s reads like one that does not resolve", async (_name, addresses) => {
    const canary = use(await startTcp((socket) => socket.destroy()));
    const resolve = resolver({ "idp.test": addresses });
    const { get } = createGuardedFetch({ dev: false, allowedHosts: [], resolve });
    const unknown = await get(`https://unknown.test:${canary.port}/`, limits);
    expect(unknown.kind).toBe("unreachable");
    expect(await get(`https://idp.test:${canary.port}/`, limits)).toEqual(unknown);
    expect(canary.connectionCount()).toBe(0);
  });

  test("is resolved once, and the address that was checked is the one connected to", async () => {
    const server = use(await startHttps(certificate, (_request, response) => response.end("found")));
    const asked: string[] = [];
    const { get } = createGuardedFetch({
      dev: true,
      allowedHosts: [],
      extraCertificates: [certificate.cert],
      resolve: async (hostname) => {
        asked.push(hostname);
        return asked.length === 1 ? [loopback] : [{ address: "10.0.0.1", family: 4 }];
      },
    });
    const outcome = await get(`https://idp.test:${server.port}/`, limits);
    expect(outcome).toMatchObject({ kind: "document", bytes: new Uint8Array(Buffer.from("found")) });
    expect(asked).toEqual(["idp.test"]);
    expect((await get(`https://idp.test:${server.port}/`, limits)).kind).toBe("unreachable");
    expect(server.connectionCount()).toBe(1);
  });

  test("may have several addresses, of which the first that answers is taken", async () => {
    const server = use(await startHttps(certificate, (_request, response) => response.end("found")));
    const resolve = resolver({ "idp.test": ["127.0.0.2", "127.0.0.1"] });
    const options = { dev: true, allowedHosts: [], extraCertificates: [certificate.cert], resolve };
    expect((await createGuardedFetch(options).get(`https://idp.test:${server.port}/`, limits)).kind).toBe(
      "document",
    );
  });

  test("that never resolves is given up in time", async () => {
    const { promise } = Promise.withResolvers<never>();
    const resolve = async () => await promise;
    const { get } = createGuardedFetch({ dev: false, allowedHosts: [], resolve });
    expect(await get("https://idp.test/", { ...limits, timeoutMs: 50 })).toEqual({
      kind: "unreachable",
      message: "does not answer in time",
    });
  });

  test("of loopback is connected to over http with dev only if it resolves to loopback", async () => {
    const resolve = resolver({ "app.localhost": ["8.8.8.8"] });
    const { get } = createGuardedFetch({ dev: true, allowedHosts: [], resolve });
    expect((await get("http://app.localhost/", limits)).kind).toBe("unreachable");
  });
});

describe("loopback with dev", () => {
  test.each(["localhost", "127.0.0.1", "app.localhost"])("is open over http and https: %s", async (host) => {
    const handler: RequestListener = (_request, response) => response.end("found");
    const [plain, secure] = [use(await startHttp(handler)), use(await startHttps(certificate, handler))];
    const { get } = createGuardedFetch({
      dev: true,
      allowedHosts: [],
      extraCertificates: [certificate.cert],
      resolve: resolver({ localhost: ["127.0.0.1"], "app.localhost": ["127.0.0.1"] }),
    });
    expect((await get(`http://${host}:${plain.port}/`, limits)).kind).toBe("document");
    expect((await get(`https://${host}:${secure.port}/`, limits)).kind).toBe("document");
  });
});

describe("an allowed host", () => {
  test.each([
    ["idp.test", "idp.test"],
    ["IDP.test.", "idp.test"],
    ["idp.test", "IDP.TEST"],
    ["idp.test", "idp.test."],
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.1", "0x7f.1"],
  ])("%s is connected to as %s wherever it is", async (allowed, host) => {
    const server = use(await startHttps(certificate, (_request, response) => response.end("found")));
    const resolve = resolver({ "idp.test": ["127.0.0.1"], "idp.test.": ["127.0.0.1"] });
    const options = { dev: false, allowedHosts: [allowed], extraCertificates: [certificate.cert], resolve };
    const { get } = createGuardedFetch(options);
    expect((await get(`https://${host}:${server.port}/`, limits)).kind).toBe("document");
  });

  test("opens no other host, and not http", async () => {
    const canary = use(await startTcp((socket) => socket.destroy()));
    const resolve = async () => [loopback];
    const { get } = createGuardedFetch({ dev: false, allowedHosts: ["idp.test"], resolve });
    const kinds = [];
    for (const url of [
      "https://sub.idp.test",
      "https://aidp.test",
      "https://idp.test.example",
      "http://idp.test",
    ]) {
      kinds.push((await get(`${url}:${canary.port}/`, limits)).kind);
    }
    expect(kinds).toEqual(["unreachable", "unreachable", "unreachable", "forbidden"]);
    expect(canary.connectionCount()).toBe(0);
  });

  test.each([
    "",
    "a b",
    "https://idp.test",
    "idp.test:8443",
    "idp.test/",
    "user@idp.test",
    "*",
    "*.idp.test",
    "#",
  ])("must be a host: %p", (allowed) => {
    expect(() => createGuardedFetch({ dev: false, allowedHosts: [allowed] })).toThrow(
      `${JSON.stringify(allowed)} is not a host name or an address`,
    );
  });
});

describe("the certificate", () => {
  const resolve = resolver({ "idp.test": ["127.0.0.1"], "unnamed.test": ["127.0.0.1"] });

  test("must be trusted", async () => {
    const server = use(await startHttps(certificate, (_request, response) => response.end("found")));
    const { get } = createGuardedFetch({ dev: true, allowedHosts: [], resolve });
    expect((await get(`https://idp.test:${server.port}/`, limits)).kind).toBe("unreachable");
  });

  test("must be trusted whatever the environment says, which names no proxy either", async () => {
    const server = use(await startHttps(certificate, (_request, response) => response.end("found")));
    const proxy = use(await startTcp((socket) => socket.destroy()));
    const script = `
      import { createGuardedFetch } from ${JSON.stringify(import.meta.resolve("../../../src/kernel/outbound/guarded-fetch.ts"))};
      const { get } = createGuardedFetch({ dev: true, allowedHosts: [] });
      const outcome = await get("https://127.0.0.1:${server.port}/", ${JSON.stringify(limits)});
      process.stdout.write(outcome.kind);
    `;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["--input-type=module", "--eval", script],
      {
        env: {
          NODE_TLS_REJECT_UNAUTHORIZED: "0",
          NODE_USE_ENV_PROXY: "1",
          HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
        },
      },
    );
    expect([stdout, server.connectionCount(), proxy.connectionCount()]).toEqual(["unreachable", 1, 0]);
  });

  test("must be for the host", async () => {
    const server = use(await startHttps(certificate, (_request, response) => response.end("found")));
    const options = { dev: true, allowedHosts: [], extraCertificates: [certificate.cert], resolve };
    const { get } = createGuardedFetch(options);
    expect((await get(`https://unnamed.test:${server.port}/`, limits)).kind).toBe("unreachable");
    expect((await get(`https://idp.test:${server.port}/`, limits)).kind).toBe("document");
  });
});

describe("a redirect", () => {
  test("to loopback does not reach it", async () => {
    const canary = use(await startTcp((socket) => socket.destroy()));
    const hosts = ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433", "other.test"];
    const server = use(
      await startHttps(certificate, (request, response) => {
        const host = hosts[Number(request.url?.slice(1))];
        response.writeHead(302, { location: `https://${host}:${canary.port}/` }).end();
      }),
    );
    const { get } = createGuardedFetch({
      dev: false,
      allowedHosts: ["idp.test"],
      extraCertificates: [certificate.cert],
      resolve: resolver({ "idp.test": ["127.0.0.1"], "other.test": ["127.0.0.1"], localhost: ["127.0.0.1"] }),
    });
    const kinds = [];
    for (const index of hosts.keys())
      kinds.push((await get(`https://idp.test:${server.port}/${index}`, limits)).kind);
    expect(kinds).toEqual(["forbidden", "forbidden", "forbidden", "forbidden", "unreachable"]);
    expect([server.connectionCount(), canary.connectionCount()]).toEqual([hosts.length, 0]);
  });

  test("to the same name is resolved and judged again", async () => {
    const server = use(
      await startHttps(certificate, (_request, response) => response.writeHead(302, { location: "/" }).end()),
    );
    let asked = 0;
    const { get } = createGuardedFetch({
      dev: true,
      allowedHosts: [],
      extraCertificates: [certificate.cert],
      resolve: async () => (asked++ === 0 ? [loopback] : [{ address: "10.0.0.1", family: 4 }]),
    });
    expect((await get(`https://idp.test:${server.port}/`, limits)).kind).toBe("unreachable");
    expect([asked, server.connectionCount()]).toEqual([2, 1]);
  });
});

async function neverCalled(): Promise<never> {
  throw new TypeError("the network was used");
}
