import { build } from "esbuild";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** Serves a single-page application that logs people in. */
export interface RelyingParty {
  /** `http://localhost:<port>`. */
  readonly origin: string;
  /** What the library of the page is told; set once the application exists. */
  setUp(settings: Readonly<Record<string, unknown>>): void;
  stop(): Promise<void>;
}

const root = join(import.meta.dirname, "../../..");
const pages = new Set(["/", "/callback", "/popup", "/goodbye"]);
const page =
  '<!doctype html><html lang="en"><title>Application</title><script src="/page.js"></script></html>';
const policy = "default-src 'none'; script-src 'self'; connect-src *";

/** Starts on a free port of loopback. */
export async function startRelyingParty(): Promise<RelyingParty> {
  const script = await bundleApplication();
  let settings: Readonly<Record<string, unknown>> = {};
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    const isScript = pathname === "/page.js";
    if (!isScript && !pages.has(pathname)) {
      response.writeHead(204).end(); // browsers ask for an icon
      return;
    }
    const type = isScript ? "text/javascript" : "text/html";
    response.writeHead(200, { "content-type": `${type}; charset=utf-8`, "content-security-policy": policy });
    response.end(isScript ? `var login = { settings: ${JSON.stringify(settings)} };\n${script}` : page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    origin: `http://localhost:${port}`,
    setUp(said) {
      settings = said;
    },
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function bundleApplication(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(root, "test/browser/page/login.ts")],
    bundle: true,
    write: false,
    platform: "browser",
    format: "iife",
    target: "es2024",
    logLevel: "silent",
  });
  const [script] = outputFiles;
  if (script === undefined) throw new Error("esbuild made no file");
  return script.text;
}
