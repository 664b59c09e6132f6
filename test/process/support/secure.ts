import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { request as createRequest } from "node:https";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";

/** Returns the path of a fixture of the process tests. */
export function fixture(name: string): string {
  return join(import.meta.dirname, "../fixtures", name);
}

/** A certificate for localhost and 127.0.0.1 that signs itself; until 2126. */
export const certificate = readFileSync(fixture("tls-cert.pem"));

export interface SecureAnswer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The body, if it is JSON. */
  readonly json: unknown;
}

/** Makes a call over HTTP/1.1 and TLS to a server with the certificate, whatever address it has. */
export async function callSecurely(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<SecureAnswer> {
  const request = createRequest(url, {
    method,
    headers,
    ca: certificate,
    agent: false,
    checkServerIdentity: () => undefined, // 127.0.0.2 is not in it
  });
  request.end(body);
  const [response] = await once(request, "response"); // an IncomingMessage
  const received = await text(response);
  const isJson = String(response.headers["content-type"]).startsWith("application/json");
  return {
    status: response.statusCode,
    headers: response.headers,
    json: isJson ? JSON.parse(received) : undefined,
  };
}
