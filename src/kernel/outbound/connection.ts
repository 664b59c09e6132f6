import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import type { SecureContext } from "node:tls";
import { sendTraced, type Tracing } from "../base/tracing/tracing.ts";
import { hostOf, type TargetRules } from "./target.ts";

/**
 * Returns all addresses of a host name; rejects, or returns none, if there are none. When the signal is aborted nobody waits for it
 * any more, and it ends if it can.
 */
export type ResolveHost = (hostname: string, signal: AbortSignal) => Promise<readonly ResolvedAddress[]>;

/** An address that a host name stands for. */
export interface ResolvedAddress {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** The settings of a connection. Addresses are checked by the rules after they were resolved. */
export interface ConnectionSetup {
  readonly rules: TargetRules;
  readonly resolve: ResolveHost;
  /** For hosts that are near by the rules. */
  readonly resolveNear: ResolveHost;
  /** The trusted certificates; undefined: those that Node trusts. */
  readonly secureContext: SecureContext | undefined;
  readonly tracing?: Tracing | undefined;
}

/** A connection to a host failed, or its address is forbidden. The cause is not for callers. */
export class ConnectionError extends Error {}

/** What is sent besides the URL. */
export interface Sending {
  /** Undefined: a GET. Else the fields of a POST, as application/x-www-form-urlencoded has them. */
  readonly form?: string | undefined;
  /** By their names in lower case, in place of those that are sent otherwise. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal: AbortSignal;
}

/**
 * Sends a request over a new connection and returns the answer with its body unread; the caller must read or destroy it.
 * The URL as written must be allowed. Checks all addresses that its host resolves to, and connects to one of these.
 * Rejects with a ConnectionError, also when the signal is aborted.
 */
export async function getResponse(
  setup: ConnectionSetup,
  url: URL,
  sending: Sending,
): Promise<IncomingMessage> {
  const method = sending.form === undefined ? "GET" : "POST";
  return await sendTraced(setup.tracing, { host: hostOf(url), method }, async (traced) => {
    const headers = { ...sending.headers, ...traced.headers };
    const response = await ask(setup, url, { ...sending, headers });
    traced.answered(response.statusCode ?? 0);
    return response;
  });
}

async function ask(
  setup: ConnectionSetup,
  url: URL,
  { form, headers, signal }: Sending,
): Promise<IncomingMessage> {
  const addresses = await resolveChecked(setup, url, signal);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const fail = (cause?: unknown) => {
    reject(new ConnectionError("no answer", { cause }));
  };
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const outgoing = request({
    host: hostOf(url),
    port: url.port === "" ? undefined : url.port,
    path: url.pathname + url.search,
    method: form === undefined ? "GET" : "POST",
    headers: {
      accept: "*/*",
      "accept-encoding": "identity",
      "user-agent": "gatehouse",
      ...headers,
      ...(form === undefined ? {} : formHeaders(form)),
    },
    agent: false, // a new connection that nobody else uses, and no proxy from the environment
    lookup: lookupOf(addresses),
    signal,
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    ...(setup.secureContext === undefined ? {} : { secureContext: setup.secureContext }),
  });
  outgoing.on("response", (response) => {
    response.on("error", fail); // after it was read or given up, nobody else listens
    resolve(response);
  });
  outgoing.on("error", fail);
  outgoing.on("close", fail);
  outgoing.end(form);
  return promise;
}

function formHeaders(form: string) {
  return {
    "content-type": "application/x-www-form-urlencoded",
    "content-length": Buffer.byteLength(form),
  };
}

/** Returns the addresses of the host. Rejects unless all of them are allowed. */
export async function resolveChecked(
  setup: ConnectionSetup,
  url: URL,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses =
    family === 0
      ? await resolveHost(setup.rules.isNear(url) ? setup.resolveNear : setup.resolve, host, signal)
      : [{ address: host, family }];
  if (addresses.length > 0 && addresses.every(({ address }) => setup.rules.mayConnect(url, address))) {
    return addresses;
  }
  throw new ConnectionError("no address, or a forbidden one");
}

/** Resolves the host. Stops waiting when the signal is aborted, because not every look-up can be stopped. */
async function resolveHost(
  resolve: ResolveHost,
  host: string,
  signal: AbortSignal,
): Promise<readonly ResolvedAddress[]> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => {
    aborted.reject(signal.reason);
  };
  try {
    signal.throwIfAborted();
    signal.addEventListener("abort", abort);
    return await Promise.race([resolve(host, signal), aborted.promise]);
  } catch (cause) {
    throw new ConnectionError("not resolved", { cause });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/**
 * Returns a look-up function for the socket that gives the checked addresses, so that the name is not resolved again.
 */
export function lookupOf(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const { address, family } = addresses[0] ?? { address: "", family: 0 };
    if (all === true) process.nextTick(callback, null, [...addresses]);
    else process.nextTick(callback, null, address, family);
  };
}
