import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** Serves the test page under an origin of its own. */
export interface PageServer {
  readonly port: number;
  /** `http://localhost:<port>`: the only plain http origin where browsers offer WebAuthn. */
  readonly origin: string;
  stop(): Promise<void>;
}

const page = '<!doctype html><html lang="en"><title>Test page</title><script src="/page.js"></script></html>';

// Without `unsafe-eval`: the clients must do without, as on a careful site.
const policy = "default-src 'none'; script-src 'self'; frame-src *; connect-src *";

/** Starts on a free port of loopback. */
export async function startPageServer(script: string): Promise<PageServer> {
  const server = createServer((request, response) => {
    const isScript = request.url === "/page.js";
    if (!isScript && request.url !== "/") {
      // Browsers ask for an icon; not found would be an error in the console.
      response.writeHead(204).end();
      return;
    }
    const type = isScript ? "text/javascript" : "text/html";
    response.writeHead(200, {
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policy,
      // A frame without an origin of its own loads the script too.
      "cross-origin-resource-policy": "cross-origin",
    });
    response.end(isScript ? script : page);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    port,
    origin: `http://localhost:${port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
