import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import type { RequestListener } from "node:http";
import { createGuardedFetch, type GuardedFetchOptions } from "../../../src/kernel/outbound/guarded-fetch.ts";
import { resolver } from "./resolver.ts";
import { startHttp, startTcp, useServers } from "./loopback-server.ts";

const limits: GuardedFetchOptions = { timeoutMs: 5000, maxBytes: 1000, maxRedirects: 3 };

const use = useServers();
/** Starts an http server and returns what getting a path of it gives with `dev`. */
async function getFrom(handler: RequestListener, options: Partial<GuardedFetchOptions> = {}) {
  const server = use(await startHttp(handler));
  const { get } = createGuardedFetch({ dev: true, allowedHosts: [] });
  const outcome = await get(`http://127.0.0.1:${server.port}/path?a=b`, { ...limits, ...options });
  await server.allClosed();
  return outcome;
}

describe("a request", () => {
  test("carries nothing but what it must", async () => {
    const seen: unknown[] = [];
    const outcome = await getFrom((request, response) => {
      const { host: _host, ...headers } = request.headers;
      seen.push([request.method, request.url, headers]);
      response.setHeader("set-cookie", "a=b");
      response.end("found");
    });
    expect(outcome.kind).toBe("document");
    const headers = {
      accept: "*/*",
      "accept-encoding": "identity",
      connection: "close",
      "user-agent": "gatehouse",
    };
    expect(seen).toEqual([["GET", "/path?a=b", headers]]);
  });

  test("ends with the document as it was sent", async () => {
    const bytes = new Uint8Array(1000).map((_, index) => index);
    const outcome = await getFrom((_request, response) => {
      response.writeHead(200, {
        "content-type": "application/samlmetadata+xml",
        "content-encoding": "identity",
      });
      response.end(bytes);
    });
    expect(outcome).toEqual({ kind: "document", bytes, contentType: "application/samlmetadata+xml" });
  });

  test.each([201, 204, 206, 300, 304, 400, 401, 403, 404, 410])(
    "is refused with status %d",
    async (status) => {
      const outcome = await getFrom((_request, response) => response.writeHead(status).end());
      expect(outcome).toEqual({ kind: "refused", cause: "status", message: `answers with status ${status}` });
    },
  );

  test.each([429, 500, 502, 503, 599])("may be repeated after status %d", async (status) => {
    const outcome = await getFrom((_request, response) => response.writeHead(status).end("later"));
    expect(outcome).toEqual({ kind: "unreachable", message: `answers with status ${status}` });
  });

  const packers = { gzip: gzipSync, "x-gzip": gzipSync, br: brotliCompressSync, deflate: deflateSync };
  test.each([...Object.entries(packers), ["deflate", deflateRawSync] as const, ["GZIP", gzipSync] as const])(
    "is unpacked when the body is encoded: %s",
    async (name, pack) => {
      const outcome = await getFrom((_request, response) => {
        response.writeHead(200, { "content-encoding": name }).end(pack("found"));
      });
      expect(outcome).toMatchObject({ kind: "document", bytes: new Uint8Array(Buffer.from("found")) });
    },
  );

  test.each(["br", "deflate", "x-unknown", "identity, gzip", "gzip, gzip"])(
    "is refused when the body is not encoded so, or the encoding is unknown: %s",
    async (name) => {
      const outcome = await getFrom((_request, response) => {
        response.writeHead(200, { "content-encoding": name }).end(gzipSync("found"));
      });
      expect(outcome).toMatchObject({ kind: "refused", cause: "status" });
    },
  );

  test.each(Object.entries(packers))(
    "is refused when there is too much in a small body: %s",
    async (name, pack) => {
      const outcome = await getFrom((_request, response) => {
        response.writeHead(200, { "content-encoding": name }).end(pack("x".repeat(1001)));
      });
      expect(outcome).toMatchObject({ kind: "refused", cause: "size" });
    },
  );

  test("is refused for the length that the body will have", async () => {
    const outcome = await getFrom((_request, response) => {
      response.writeHead(200, { "content-length": 1001 }).flushHeaders();
    });
    expect(outcome).toEqual({ kind: "refused", cause: "size", message: "answers with more than 1000 bytes" });
  });

  test("is refused as soon as the body is too long, and an endless one is cut off", async () => {
    const outcome = await getFrom((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(500)));
      };
      response.on("drain", more);
      more();
    });
    expect(outcome).toMatchObject({ kind: "refused", cause: "size" });
  });

  test.each<[string, RequestListener]>([
    ["nothing at all", () => undefined],
    ["headers and no body", (_request, response) => response.writeHead(200).flushHeaders()],
    ["a part of the body", (_request, response) => response.writeHead(200).write("<")],
    ["early hints only", (_request, response) => response.writeEarlyHints({ link: "</a>; rel=preload" })],
  ])("is given up in time when the server sends %s", async (_name, handler) => {
    const outcome = await getFrom(handler, { timeoutMs: 100 });
    expect(outcome).toEqual({ kind: "unreachable", message: "does not answer in time" });
  });

  test.each([
    ["headers", "HTTP/1.1 200 OK\r\nx-a: "],
    ["body", "HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n"],
  ])("is given up in time when the %s drip", async (_name, start) => {
    const server = use(
      await startTcp((socket) => {
        socket.write(start);
        const timer = setInterval(() => socket.write("x"), 10);
        socket.on("close", () => clearInterval(timer));
      }),
    );
    const { get } = createGuardedFetch({ dev: true, allowedHosts: [] });
    const startedMs = performance.now();
    const outcome = await get(`http://127.0.0.1:${server.port}/`, { ...limits, timeoutMs: 150 });
    expect(outcome).toEqual({ kind: "unreachable", message: "does not answer in time" });
    expect(performance.now() - startedMs).toBeLessThan(2000);
    await server.allClosed();
  });

  test.each([
    ["hangs up at once", ""],
    ["talks something else", "220 smtp.test ESMTP\r\n"],
    ["hangs up in the headers", "HTTP/1.1 200 OK\r\ncontent-"],
    ["hangs up in the body", "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n<"],
    ["hangs up in a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n<"],
    ["sends a bad chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n<"],
    ["sends endless headers", `HTTP/1.1 200 OK\r\nx-a: ${"x".repeat(100_000)}\r\n\r\n`],
    [
      "switches protocols",
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n",
    ],
  ])("is answered although the server %s", async (_name, answer) => {
    const server = use(await startTcp((socket) => socket.once("data", () => socket.end(answer))));
    const { get } = createGuardedFetch({ dev: true, allowedHosts: [] });
    expect((await get(`http://127.0.0.1:${server.port}/`, limits)).kind).toBe("unreachable");
    await server.allClosed();
  });

  test("to a port where nobody listens reads like one to a name that does not resolve", async () => {
    const server = await startHttp(() => undefined);
    await server.close();
    const { get } = createGuardedFetch({ dev: true, allowedHosts: [], resolve: resolver({}) });
    const outcome = await get(`http://127.0.0.1:${server.port}/`, limits);
    expect(outcome).toEqual(await get("https://unknown.test/", limits));
  });

  test("rejects with the reason of its caller, who gave it up", async () => {
    const server = use(await startHttp(() => controller.abort(reason)));
    const controller = new AbortController();
    const reason = new Error("given up");
    const { get } = createGuardedFetch({ dev: true, allowedHosts: [] });
    const options = { ...limits, signal: controller.signal };
    await expect(get(`http://127.0.0.1:${server.port}/`, options)).rejects.toBe(reason);
    await server.allClosed();
    await expect(get(`http://127.0.0.1:${server.port}/`, options)).rejects.toBe(reason);
    expect(server.connectionCount()).toBe(1);
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])(
    "of status %d is followed, relative to where it comes from",
    async (status) => {
      const paths: (string | undefined)[] = [];
      const outcome = await getFrom((request, response) => {
        paths.push(request.url);
        if (request.url === "/path?a=b") response.writeHead(status, { location: "next#part" }).end("moved");
        else response.end("found");
      });
      expect(outcome.kind).toBe("document");
      expect(paths).toEqual(["/path?a=b", "/next"]);
    },
  );

  test("is asked for the same types of documents", async () => {
    const accept = "application/samlmetadata+xml, */*;q=0.1";
    const seen: (string | undefined)[] = [];
    await getFrom(
      (request, response) => {
        seen.push(request.headers.accept);
        if (seen.length === 1) response.writeHead(302, { location: "next" }).end();
        else response.end("found");
      },
      { accept },
    );
    expect(seen).toEqual([accept, accept]);
  });

  test.each([
    [200, "document"],
    [201, "refused"],
    [304, "refused"],
    [503, "unreachable"],
  ])("is none with status %d, whatever Location says", async (status, kind) => {
    const outcome = await getFrom((_request, response) =>
      response.writeHead(status, { location: "/next" }).end(),
    );
    expect(outcome.kind).toBe(kind);
  });

  test("is followed three times, not four", async () => {
    const chain = (count: number) => {
      let left = count;
      return getFrom((_request, response) => {
        if (left-- > 0) response.writeHead(302, { location: "/" });
        response.end("found");
      });
    };
    expect((await chain(3)).kind).toBe("document");
    expect(await chain(4)).toEqual({
      kind: "refused",
      cause: "redirects",
      message: "redirects more than 3 times",
    });
  });

  test.each(["", "https://", "https://a b/", "https://a..b/", "https://a:0/"])(
    "to %p, which is no URL, is refused",
    async (location) => {
      const outcome = await getFrom((request, response) => {
        if (request.url === "/path?a=b") response.setHeader("location", location).writeHead(302);
        response.end();
      });
      expect(outcome).toMatchObject({ kind: "refused", cause: location === "" ? "redirects" : "status" });
    },
  );

  test.each([
    "http://idp.test/",
    "https://user@idp.test/",
    "https://10.0.0.1/",
    "https://0x0a000001/",
    "https://[::]/",
    "//169.254.169.254/latest",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/xml,<a/>",
  ])("to %s is forbidden", async (location) => {
    const outcome = await getFrom((_request, response) => response.writeHead(302, { location }).end());
    expect(outcome).toMatchObject({ kind: "forbidden", message: expect.stringContaining("redirects to") });
  });

  test("does not start the time anew", async () => {
    const startedMs = performance.now();
    const outcome = await getFrom(
      (_request, response) => {
        setTimeout(() => response.writeHead(302, { location: "/" }).end(), 100);
      },
      { timeoutMs: 250, maxRedirects: 50 },
    );
    expect(outcome).toEqual({ kind: "unreachable", message: "does not answer in time" });
    expect(performance.now() - startedMs).toBeLessThan(2000);
  });
});
