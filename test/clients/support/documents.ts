import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { makeCertificate } from "../../kernel/http/support/certificate.ts";

/** A host of documents that describe clients, on this machine. */
export interface DocumentHost {
  /** What a service is started with so that it reads them: it trusts their certificate, and may connect to this machine. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Puts the document of a client there that is sent back to this URI, and returns its client id. */
  put(redirectUri: string): string;
  stop(): void;
}

/** Starts the host, whose certificate is in that folder. */
export async function openDocumentHost(folder: string): Promise<DocumentHost> {
  const { cert, key } = makeCertificate();
  const authority = join(folder, "documents.pem");
  writeFileSync(authority, cert);
  const documents = new Map<string, string>();
  const server = createServer({ cert, key }, ({ url = "" }, response) => {
    const body = documents.get(url);
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" }).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server listens on a port");
  return {
    args: ["--fetch-allowed-hosts", "127.0.0.1"],
    environment: { NODE_EXTRA_CA_CERTS: authority },
    put(redirectUri) {
      const path = `/clients/${documents.size + 1}.json`;
      const clientId = `https://127.0.0.1:${address.port}${path}`;
      const members = { client_id: clientId, client_name: "Agent", redirect_uris: [redirectUri] };
      const grants = { grant_types: ["authorization_code", "refresh_token"] };
      documents.set(path, JSON.stringify({ ...members, ...grants, token_endpoint_auth_method: "none" }));
      return clientId;
    },
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
