import type { IncomingMessage } from "node:http";
import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";
import type { Tracing } from "../base/tracing/tracing.ts";
import { hostViolation, urlViolation } from "../base/url.ts";
import { isKnownCoding, unpack, type UnpackedBody } from "./content-coding.ts";
import { ConnectionError, type ConnectionSetup, getResponse, type ResolveHost } from "./connection.ts";
import { createKeptConnection, type KeptConnection, type KeptConnectionOptions } from "./kept-connection.ts";
import { createDnsLookup, lookUpBySystem, type OpenResolver, openSystemResolver } from "./resolve-host.ts";
import { createTargetRules } from "./target.ts";

/**
 * The result of fetching a URL. The messages follow the words `the URL`; they are for callers and reveal nothing
 * about networks.
 */
export type GuardedFetchOutcome =
  /** Status 200. */
  | {
      readonly kind: "document";
      readonly bytes: Uint8Array;
      readonly contentType: string | undefined;
      /** The header of that name. */
      readonly cacheControl: string | undefined;
    }
  /** The URL as written, or one that it redirects to, is forbidden. */
  | { readonly kind: "forbidden"; readonly message: string }
  /** The server returns no document, and a retry does not help. `status` also stands for an unknown encoding. */
  | { readonly kind: "refused"; readonly cause: "status" | "redirects" | "size"; readonly message: string }
  /** No connection, a name without public addresses, no valid certificate, a timeout, 429, 5xx. */
  | { readonly kind: "unreachable"; readonly message: string };

/** The limits of one request. */
export interface GuardedPostOptions {
  /** For everything together: name resolution, connections, redirects and the whole body. */
  readonly timeoutMs: number;
  /** Of the body, as it comes and after it was unpacked. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** A request that is sent once: its limits, and what it says besides. */
export interface GuardedRequestOptions extends GuardedPostOptions {
  /** Such as `authorization`; they go to no other URL, because redirects are not followed. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The limits of one fetch. */
export interface GuardedFetchOptions extends GuardedPostOptions {
  readonly maxRedirects: number;
  /** The header `accept`, also of redirects. Default: any type. */
  readonly accept?: string | undefined;
}

/** The result of a request that is sent once. The messages are as those of a fetch. */
export type GuardedPostOutcome =
  | {
      readonly kind: "answered";
      /** Any status: a redirect is not followed, and an answer as others are. */
      readonly status: number;
      /** Undefined: it did not come whole within the limits, or in an unknown encoding. */
      readonly bytes: Uint8Array | undefined;
      readonly contentType: string | undefined;
    }
  /** The URL as written is forbidden. */
  | { readonly kind: "forbidden"; readonly message: string }
  /** No connection, a name without public addresses, no valid certificate, no status in time. */
  | { readonly kind: "unreachable"; readonly message: string };

/** Sends requests to URLs that callers give, without connecting to addresses that they must not reach through the service. */
export interface GuardedFetch {
  /**
   * Gets the document with one GET, without credentials, cookies or a proxy. Never rejects because of the remote
   * side; rejects with the reason of `signal` when that is aborted. Leaves no connection open.
   */
  get(url: string, options: GuardedFetchOptions): Promise<GuardedFetchOutcome>;
  /**
   * Gets what is at the URL itself, once, whatever its status, with the same rules for the URL, and follows no redirect. Rejects only
   * as `get` does. Leaves no connection open.
   */
  getOnce(url: string, options: GuardedRequestOptions): Promise<GuardedPostOutcome>;
  /**
   * Posts the fields as a form, once, with the same rules for the URL, and follows no redirect. Rejects only as `get` does. Leaves no
   * connection open.
   */
  post(
    url: string,
    fields: Readonly<Record<string, string>>,
    options: GuardedRequestOptions,
  ): Promise<GuardedPostOutcome>;
  /** Keeps connections for many messages to one URL, with the same rules. Connects to nothing yet. */
  connect(url: string, options?: KeptConnectionOptions): KeptConnection;
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
  /**
   * Resolves all names. Default: the operating system those of allowed hosts and, with `dev`, loopback names; DNS servers all others.
   */
  readonly resolve?: ResolveHost;
  /** Default: the DNS servers of this machine. */
  readonly openResolver?: OpenResolver;
  readonly tracing?: Tracing | undefined;
  /** Certificates (PEM) to trust besides those that Node trusts. */
  readonly extraCertificates?: readonly string[];
}): GuardedFetch {
  const setup: ConnectionSetup = {
    rules: createTargetRules(options),
    resolve: options.resolve ?? createDnsLookup(options.openResolver ?? openSystemResolver),
    resolveNear: options.resolve ?? lookUpBySystem,
    tracing: options.tracing,
    secureContext: options.extraCertificates && trusting(options.extraCertificates),
  };
  return {
    violationOf: (text) => urlViolation(text, { allowQuery: true }) ?? setup.rules.violationOf(new URL(text)),
    get: (text, limits) =>
      within(text, limits, (signal) => follow(setup, { url: new URL(text), limits, signal })),
    connect: (text, kept) => createKeptConnection(setup, new URL(text), kept),
    getOnce: (text, limits) =>
      within(text, limits, (signal) => sendOnce(setup, { url: new URL(text), limits, signal })),
    post: (text, fields, limits) =>
      within(text, limits, (signal) => sendOnce(setup, { url: new URL(text), fields, limits, signal })),
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

/** Makes a request within its time, if the URL can be one. */
async function within<T>(
  text: string,
  limits: GuardedPostOptions,
  request: (signal: AbortSignal) => Promise<T>,
): Promise<T | Extract<GuardedFetchOutcome, { readonly kind: "forbidden" | "unreachable" }>> {
  const violation = urlViolation(text, { allowQuery: true });
  if (violation !== undefined) return { kind: "forbidden", message: violation };
  const deadline = AbortSignal.timeout(limits.timeoutMs);
  const signal = limits.signal === undefined ? deadline : AbortSignal.any([deadline, limits.signal]);
  try {
    return await request(signal);
  } catch (error) {
    limits.signal?.throwIfAborted();
    if (!(error instanceof ConnectionError)) throw error;
    const message = deadline.aborted ? "does not answer in time" : cannotConnect;
    return { kind: "unreachable", message };
  }
}

async function sendOnce(
  setup: ConnectionSetup,
  request: {
    readonly url: URL;
    /** Undefined: nothing is posted. */
    readonly fields?: Readonly<Record<string, string>>;
    readonly limits: GuardedRequestOptions;
    readonly signal: AbortSignal;
  },
): Promise<GuardedPostOutcome> {
  const { url, fields, limits, signal } = request;
  const message = setup.rules.violationOf(url);
  if (message !== undefined) return { kind: "forbidden", message };
  const form = fields && new URLSearchParams(fields).toString();
  const response = await getResponse(setup, url, { form, headers: limits.headers, signal });
  try {
    const { statusCode: status = 0, headers } = response;
    const body = isReadable(response) ? await readBodyIfWhole(response, limits) : undefined;
    const bytes = body?.kind === "body" ? body.bytes : undefined;
    return { kind: "answered", status, bytes, contentType: headers["content-type"] };
  } finally {
    response.destroy();
  }
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
    const headers = limits.accept === undefined ? undefined : { accept: limits.accept };
    const response = await getResponse(setup, url, { headers, signal });
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
  if (!isReadable(response)) return refused("status", "answers with an unknown content encoding");
  const body = await readBody(response, maxBytes);
  switch (body.kind) {
    case "body":
      return {
        kind: "document",
        bytes: body.bytes,
        contentType: headers["content-type"],
        cacheControl: headers["cache-control"],
      };
    case "size":
      return refused("size", `answers with more than ${maxBytes} bytes`);
    case "broken":
      return refused("status", "answers with a body that is not encoded as it says");
  }
}

function isReadable({ headers }: IncomingMessage): boolean {
  return isKnownCoding(headers["content-encoding"]);
}

/** Returns the body, or undefined when it is late or cut off: the status is known all the same. */
async function readBodyIfWhole(
  response: IncomingMessage,
  { maxBytes, signal }: GuardedPostOptions,
): Promise<UnpackedBody | undefined> {
  try {
    return await readBody(response, maxBytes);
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ConnectionError)) throw error;
    return undefined;
  }
}

/** Reads the body, and unpacks it. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<UnpackedBody> {
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return { kind: "size" };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBytes) return { kind: "size" };
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ConnectionError("the answer was cut off", { cause });
  }
  return await unpack(new Uint8Array(Buffer.concat(chunks)), response.headers["content-encoding"], maxBytes);
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
