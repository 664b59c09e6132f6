import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "@jest/globals";
import { createConsoleSite } from "../../../src/sites/front/console-site.ts";
import { routeNotFound } from "../../../src/sites/rpc/errors/refusals.ts";
import { type PlainRequest, sendBy, type Way, ways } from "../../kernel/http/support/ways.ts";
import { startTestServer, type TestServer } from "../rpc/support/server.ts";
import { createHttpClient } from "../../support/http-client.ts";
import { makeTemporaryFolder } from "../../support/temporary.ts";

// The files are made here: what serves them does not know how they were built.

const page = '<!doctype html><script type="module" src="/console/assets/index-1a2b3c4d.js"></script>';
const script = 'document.title = "Gatehouse";\n'.repeat(100);
const hashed = "/console/assets/index-1a2b3c4d.js";
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

const pages = [
  { pattern: "/users/new", files: ["assets/new-1a2b3c4d.js"] },
  { pattern: "/users/:user", files: ["assets/user-1a2b3c4d.js", "assets/list-1a2b3c4d.js"] },
];
const tokens = "</oauth/v2/console>; rel=preload; as=fetch; crossorigin";

const temporary = makeTemporaryFolder();
writeFileSync(join(temporary.path, "secret.txt"), "secret");
let issuer: string | undefined;
const server = await serve(build("console"));
issuer = originOf(server);
afterAll(async () => {
  await server.stop();
  temporary.remove();
});

function originOf({ port }: TestServer): string {
  return `http://localhost:${port}`;
}

async function serve(folder: string): Promise<TestServer> {
  return await startTestServer({
    corsOrigins: ["https://app.example"],
    moreSites: () => [
      createConsoleSite({ issuer: () => issuer, folder, pathUnknown: () => routeNotFound("not-found") }),
    ],
  });
}

const get = (request: PlainRequest, way: Way = "HTTP/1.1") =>
  sendBy(way, server.url, { ...request, headers: { host: `localhost:${server.port}`, ...request.headers } });

/** Makes what a build makes, and returns the folder. */
function build(name: string): string {
  const folder = join(temporary.path, name);
  mkdirSync(join(folder, "assets"), { recursive: true });
  writeFileSync(join(folder, "index.html"), page);
  writeFileSync(join(folder, "icon.svg"), "<svg/>");
  writeFileSync(join(folder, "index.js.map"), "{}");
  writeFileSync(join(folder, "pages.json"), JSON.stringify(pages));
  writeFileSync(join(folder, "assets/style-5e6f7a8b.css"), "body{}");
  writeFileSync(join(folder, "assets/index-1a2b3c4d.js"), script);
  writeFileSync(join(folder, "assets/index-1a2b3c4d.js.br"), brotliCompressSync(script));
  writeFileSync(join(folder, "assets/index-1a2b3c4d.js.gz"), gzipSync(script));
  return folder;
}

test("a console that nobody has built is a page that says how to, until somebody has", async () => {
  const bare = await serve(join(temporary.path, "later"));
  const open = (path: string) =>
    sendBy("HTTP/1.1", bare.url, {
      path,
      headers: { host: new URL(bare.url).host, "accept-language": "de" },
    });
  try {
    for (const path of ["/console/", "/console/users/1"]) {
      const { status, headers, text } = await open(path);
      expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
        503,
        "text/html; charset=utf-8",
        "no-store",
      ]);
      expect(text).toContain('<html lang="de">');
      expect(text).toContain("<code>npm run prepare</code>");
    }
    expect((await open(hashed)).status).toBe(404);
    build("later");
    const { status, text } = await open("/console/");
    expect([status, text]).toEqual([200, page]);
  } finally {
    await bare.stop();
  }
});

describe.each(ways.slice(0, 2))("the console by %s", (way) => {
  const by = (request: PlainRequest) => get(request, way);

  test.each([
    "/console/",
    "/console/users/1",
    "/console/callback?code=1",
    "/console/index.html",
    "/console/a%2fb",
  ])("answers %s with its page, which is asked for anew each time", async (path) => {
    const { status, headers, text } = await by({ path });
    expect([status, text]).toEqual([200, page]);
    expect(headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "content-security-policy": policy,
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      vary: "accept-encoding",
    });
    expect(headers["set-cookie"]).toBeUndefined();
  });

  test.each([
    [hashed, "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", script],
    [
      "/console/assets/style-5e6f7a8b.css",
      "text/css; charset=utf-8",
      "public, max-age=31536000, immutable",
      "body{}",
    ],
    ["/console/icon.svg", "image/svg+xml", "no-cache", "<svg/>"],
  ])("answers %s with the file", async (path, type, cacheControl, content) => {
    const { status, headers, text } = await by({ path });
    expect([status, text]).toEqual([200, content]);
    expect(headers).toMatchObject({
      "content-type": type,
      "cache-control": cacheControl,
      "content-length": String(content.length),
      "cross-origin-resource-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
    // Scripts and styles are parts of a page: a picture may be opened by itself.
    expect(headers["content-security-policy"]).toBe(type === "image/svg+xml" ? policy : undefined);
    expect(headers["link"]).toBeUndefined();
  });

  test.each([
    ["/console/", tokens],
    ["/console/users/new", `${tokens}, </console/assets/new-1a2b3c4d.js>; rel=modulepreload`],
    [
      "/console/users/7",
      `${tokens}, </console/assets/user-1a2b3c4d.js>; rel=modulepreload, </console/assets/list-1a2b3c4d.js>; rel=modulepreload`,
    ],
    ["/console/users/7/x", tokens],
    ["/console/callback", ""],
  ])("names with %s what it asks for next", async (path, link) => {
    expect((await by({ path })).headers["link"] ?? "").toBe(link);
  });

  test("answers HEAD with the headers of GET", async () => {
    const [got, head] = await Promise.all([by({ path: hashed }), by({ verb: "HEAD", path: hashed })]);
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const name of ["content-length", "content-type", "etag", "cache-control", "vary"])
      expect([name, head.headers[name]]).toEqual([name, got.headers[name]]);
  });

  test("says that the browser has it already, by the tag of the form that it would get", async () => {
    const { headers } = await by({ path: hashed, headers: { "accept-encoding": "gzip" } });
    const etag = String(headers.etag);
    expect(etag).toMatch(/^"[\w-]{22}-gzip"$/);
    const same = { "accept-encoding": "gzip", "if-none-match": `"other", W/${etag}` };
    const again = await by({ path: hashed, headers: same });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, "", etag]);
    expect(again.headers).toMatchObject({
      "cache-control": headers["cache-control"],
      vary: "accept-encoding",
    });
    const plain = await by({ path: hashed, headers: { "if-none-match": etag } });
    expect([plain.status, plain.text]).toEqual([200, script]);
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("refuses %s", async (verb) => {
    for (const path of ["/console/", hashed]) {
      const { status, headers } = await by({ verb, path });
      expect([status, headers["allow"]]).toEqual([405, "GET, HEAD"]);
    }
  });

  test("lets no page of another origin read it, also not one that may call the API", async () => {
    for (const path of ["/console/", hashed]) {
      const { headers } = await by({ path, headers: { origin: "https://app.example" } });
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });
});

test("a file is sent in the best form that the browser takes", async () => {
  const forms = { br: "br", "gzip, br;q=0.9": "gzip", "deflate, gzip, br": "br", identity: undefined };
  for (const [acceptEncoding, coding] of Object.entries(forms)) {
    const { headers } = await get({ path: hashed, headers: { "accept-encoding": acceptEncoding } });
    expect([acceptEncoding, headers["content-encoding"]]).toEqual([acceptEncoding, coding]);
  }
  const url = `${server.url}${hashed}`;
  const fetched = await fetch(url, { headers: { "accept-encoding": "br" } });
  expect([fetched.headers.get("content-encoding"), await fetched.text()]).toEqual(["br", script]);
});

test("no path leads out of the folder, or to what is no file of the console", async () => {
  const paths = [
    "/console/../secret.txt",
    "/console/../../package.json",
    "/console/..%2fsecret.txt",
    "/console/%2e%2e/secret.txt",
    "/console/..\\secret.txt",
    "/console//secret.txt",
    "/console/./icon.svg",
    "/console/assets/../../../secret.txt",
    "/console/assets/../icon.svg",
    "/console/assets/%2e%2e/%2e%2e/secret.txt",
    "/console/assets",
    "/console/assets/",
    "/console/assets/index-1a2b3c4d.js.br",
    "/console/assets/constructor",
    "/console/__proto__",
    "/console/index.js.map",
    "/console/icon.svg%00",
  ];
  const client = createHttpClient(server.url); // it sends a path as it is
  const headers = { host: `localhost:${server.port}` };
  for (const path of paths) {
    const { status, text } = await client.send({ method: "GET", path, headers });
    const isAsset = path.startsWith("/console/assets/");
    expect([path, status, isAsset || text === page]).toEqual([path, isAsset ? 404 : 200, true]);
    expect(text).not.toContain("secret");
  }
});

test("a browser at another name of this machine is sent to the one where it can sign in", async () => {
  const host = `127.0.0.1:${server.port}`;
  const { status, headers } = await get({ path: "/console/users?a=b", headers: { host } });
  expect([status, headers.location]).toEqual([303, `${issuer}/console/users?a=b`]);
  const elsewhere = await get({ path: "/console/", headers: { host: "evil.example" } });
  expect([elsewhere.status, elsewhere.text]).toEqual([200, page]);
});

test("the path without its last slash leads to the console", async () => {
  const { status, headers } = await get({ path: "/console" });
  expect([status, headers.location]).toEqual([308, "/console/"]);
});

test("there is no console where nobody can sign in", async () => {
  const before = issuer;
  issuer = undefined;
  try {
    for (const path of ["/console", "/console/", hashed]) expect((await get({ path })).status).toBe(404);
  } finally {
    issuer = before;
  }
});

test("the files are those of one build, whatever is built meanwhile", async () => {
  const folder = build("twice");
  const other = await serve(folder);
  const open = async (path: string) => (await sendBy("HTTP/1.1", other.url, { path })).text;
  try {
    expect(await open("/console/")).toBe(page);
    writeFileSync(join(folder, "index.html"), "another");
    writeFileSync(join(folder, "new.svg"), "<svg/>");
    expect([await open("/console/"), await open("/console/new.svg")]).toEqual([page, page]);
  } finally {
    await other.stop();
  }
});
