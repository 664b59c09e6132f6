import { hash } from "node:crypto";
import type { Random } from "../../../kernel/base/random.ts";
import { Secret } from "../../../kernel/base/secret.ts";

/** How long a browser may take to bring the reference (RFC 9126 §2.2). */
export const pushedRequestMs = 60_000;

/** RFC 9126 §2.2: how references to pushed requests begin. */
const prefix = "urn:ietf:params:oauth:request_uri:";

/** Makes the reference to a request, with 256 random bits: nobody can guess one (RFC 9126 §7.1). */
export function newRequestUri(random: Random): Secret {
  return new Secret(`${prefix}${Buffer.from(random.bytes(32)).toString("base64url")}`);
}

/** Says by its form alone whether a text is such a reference, and not the address of a request object. */
export function isRequestUri(text: string): boolean {
  return text.startsWith(prefix);
}

/** Hashes a reference for storage. Plain SHA-256 is enough: it holds random bits. */
export function hashRequestUri(requestUri: string): string {
  return hash("sha256", requestUri, "base64url");
}
