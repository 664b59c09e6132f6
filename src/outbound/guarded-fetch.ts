import { promises as dns } from "node:dns";
import type { IncomingMessage } from "node:http";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import { hostViolation, urlViolation } from "../base/url.ts";
import { ConnectionError, type ConnectionSetup, getResponse, type ResolveHost } from "./connection.ts";
import { createTargetRules } from "./target.ts";

/**
 * The result of fetching a URL. The messages follow the words `the URL`; they are for callers and reveal nothing
 * about networks.
 */
export type GuardedFetchOutcome =
  /** Status 200. */
  | { readonly kind: "document"; readonly bytes: Uint8Array; readonly contentType: string | undefined }
  /** The URL as written, or one that it redirects to, is forbidden. */
  | { readonly kind: "forbidden"; readonly message: string }
  /** The server returns no document, and a retry does not help. `status` also stands for an unknown encoding. */
  | { readonly kind: "refused"; readonly cause: "status" | "redirects" | "size"; readonly message: string }
  /** No connection, a name without public addresses, no valid certificate, a timeout, 429, 5xx. */
  | { readonly kind: "unreachable"; readonly message: string };

/** The limits of one fetch. */
export interface GuardedFetchOptions {
  /** For everything together: name resolution, connections, redirects and the whole body. */
  readonly timeoutMs: number;
  /** Of the body. */
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly signal?: AbortSignal | undefined;
}

/** Fetches URLs that callers give, without connecting to addresses that they must not reach through the service. */
export interface GuardedFetch {
  /**
   * Gets the document with one GET, without credentials, cookies or a proxy. Never rejects because of the remote
   * side; rejects with the reason of `signal` when that is aborted. Leaves no connection open.
   */
  get(url: string, options: GuardedFetchOptions): Promise<GuardedFetchOutcome>;
  /**
   * Says why the URL as written is forbidden, in words that follow `the URL`, or returns undefined. Connects to
   * nothing.
   */
  violationOf(url: string): string | undefined;
}

/**
 * Creates the guarded fetch. Every URL, including redirects, must be https, without user info, and have a public
 * host. Every address that the host resolves to must be public, and the connection is made to exactly these
 * addresses.
 */
export function createGuardedFetch(options: {
  /** Allows https and http to loopback addresses. */
  readonly dev: boolean;
  /**
   * Host names and addresses that need not be public; their URLs must still be https. Throws an Error for a text that
   * is not a host.
   */
  readonly allowedHosts: readonly string[];
  /** Default: the resolver of the operating system. */
  readonly resolve?: ResolveHost;
  /** Certificates (PEM) to trust besides those that Node trusts. */
  readonly extraCertificates?: readonly string[];
}): GuardedFetch {
  const setup: ConnectionSetup = {
    rules: createTargetRules(options),
    resolve: options.resolve ?? ((hostname) => dns.lookup(hostname, { all: true })),
    secureContext: options.extraCertificates && trusting(options.extraCertificates),
  };
  return {
    violationOf: (text) => urlViolation(text, { allowQuery: true }) ?? setup.rules.violationOf(new URL(text)),
    async get(text, limits) {
      const violation = urlViolation(text, { allowQuery: true });
      if (violation !== undefined) return forbidden(violation);
      const deadline = AbortSignal.timeout(limits.timeoutMs);
      const signal = limits.signal === undefined ? deadline : AbortSignal.any([deadline, limits.signal]);
      try {
        return await follow(setup, { url: new URL(text), limits, signal });
      } catch (error) {
        limits.signal?.throwIfAborted();
        if (!(error instanceof ConnectionError)) throw error;
        return unreachable(deadline.aborted ? "does not answer in time" : cannotConnect);
      }
    },
  };
}

/** The same words for every reason, so that nobody learns which names exist in a private network. */
const cannotConnect =
  "has a host that does not resolve only to public addresses or does not present a valid certificate";

const noUrl = "redirects to something that is not a URL";

const redirectStatuses: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

function trusting(extraCertificates: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...getCACertificates("default"), ...extraCertificates] });
}

async function follow(
  setup: ConnectionSetup,
  start: { readonly url: URL; readonly limits: GuardedFetchOptions; readonly signal: AbortSignal },
): Promise<GuardedFetchOutcome> {
  const { limits, signal } = start;
  let { url } = start;
  for (let redirects = 0; ; redirects++) {
    const violation = setup.rules.violationOf(url);
    if (violation !== undefined) {
      return forbidden(redirects === 0 ? violation : `redirects to another URL, which ${violation}`);
    }
    if (hostViolation(url) !== undefined) return refused("status", noUrl);
    const response = await getResponse(setup, url, signal);
    try {
      const { location } = response.headers;
      if (location === undefined || !redirectStatuses.has(response.statusCode)) {
        return await toOutcome(response, limits.maxBytes);
      }
      if (redirects >= limits.maxRedirects) {
        return refused("redirects", `redirects more than ${limits.maxRedirects} times`);
      }
      const next = URL.parse(location, url);
      if (next === null) return refused("status", noUrl);
      url = next;
    } finally {
      response.destroy();
    }
  }
}

async function toOutcome(response: IncomingMessage, maxBytes: number): Promise<GuardedFetchOutcome> {
  const { statusCode: status = 0, headers } = response;
  if (status === 429 || status >= 500) return unreachable(`answers with status ${status}`);
  if (status !== 200) return refused("status", `answers with status ${status}`);
  const encoding = headers["content-encoding"] ?? "";
  if (!/^(?:identity)?$/i.test(encoding)) {
    return refused("status", "answers with a content encoding that was not asked for");
  }
  const bytes = await readBody(response, maxBytes);
  return bytes === undefined
    ? refused("size", `answers with more than ${maxBytes} bytes`)
    : { kind: "document", bytes, contentType: headers["content-type"] };
}

/** Returns the body, or undefined when it is longer than `maxBytes`. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return undefined;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ConnectionError("the answer was cut off", { cause });
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function forbidden(message: string): GuardedFetchOutcome {
  return { kind: "forbidden", message };
}

function refused(cause: "status" | "redirects" | "size", message: string): GuardedFetchOutcome {
  return { kind: "refused", cause, message };
}

function unreachable(message: string): GuardedFetchOutcome {
  return { kind: "unreachable", message };
}
