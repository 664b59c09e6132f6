import { connect as connectTcp, isIP, type Socket } from "node:net";
import { checkServerIdentity, connect as connectTls, type SecureContext } from "node:tls";
import {
  BindRequest,
  ExtendedRequest,
  type Message,
  PagedResultsControl,
  SearchRequest,
  UnbindRequest,
} from "ldapts";
import { resultTags } from "./answer.ts";
import type {
  DirectoryConnection,
  DirectoryLimits,
  DirectorySearch,
} from "../../base/directory/directory.ts";
import { DirectoryError } from "../../base/directory/directory-error.ts";
import type { DirectoryEntry } from "../../base/directory/entry.ts";
import { createExchange } from "./exchange.ts";
import type { ServerAddress } from "./server-url.ts";
import { toFilter } from "./to-filter.ts";

/** What a connection is made of. */
export interface ClientSetup extends ServerAddress {
  /** Where the host is; it was checked. */
  readonly address: string;
  /** Undefined: the connection is not encrypted. `trusted` undefined: the certificates that Node trusts. */
  readonly tls: { readonly trusted: SecureContext | undefined } | undefined;
  readonly limits: DirectoryLimits;
  /** Of the whole time of the connection. */
  readonly signal: AbortSignal;
}

const startTls = "1.3.6.1.4.1.1466.20037"; // RFC 4511 §4.14
const codes = { success: 0, sizeLimit: 4, invalidCredentials: 49, inappropriateAuthentication: 48 } as const;
/** Servers that are too busy, or are going down: another one may do it. */
const passingCodes: ReadonlySet<number> = new Set([51, 52, 80]); // busy, unavailable, other
const pageSize = 500;

/**
 * Opens a connection to a server. Requests are written by ldapts; its client is not used, and neither is its reader of answers: it
 * opens a lost connection again without STARTTLS, takes an empty page for the last one, and never ends on a length that is too large.
 */
export async function openClient(setup: ClientSetup): Promise<DirectoryConnection> {
  if (setup.signal.aborted) throw new DirectoryError("unreachable", "given up");
  const socket = connectTcp({ host: setup.address, port: setup.port });
  const giveUp = () => socket.destroy();
  setup.signal.addEventListener("abort", giveUp);
  socket.on("close", () => setup.signal.removeEventListener("abort", giveUp));
  try {
    await eventOf(socket, "connect");
    return createConnection(await secure(setup, socket), setup);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function secure(setup: ClientSetup, socket: Socket): Promise<Socket> {
  if (setup.tls === undefined) return socket;
  if (setup.scheme === "ldap") {
    const { ask, detach } = createExchange(socket, setup.limits);
    const { code } = await ask(
      (messageId) => new ExtendedRequest({ messageId, oid: startTls }),
      resultTags.extended,
    );
    if (code !== codes.success) throw refusal("STARTTLS", code);
    detach(); // bytes that came in plain text behind the answer are nobody's
  }
  const host = setup.host.replace(/^\[(.*)\]$/, "$1");
  const secured = connectTls({
    socket,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    rejectUnauthorized: true, // whatever NODE_TLS_REJECT_UNAUTHORIZED says
    minVersion: "TLSv1.2",
    checkServerIdentity: (_name, certificate) => checkServerIdentity(host, certificate),
    ...(setup.tls.trusted === undefined ? {} : { secureContext: setup.tls.trusted }),
  });
  await eventOf(secured, "secureConnect");
  return secured;
}

function createConnection(socket: Socket, setup: ClientSetup): DirectoryConnection {
  const { ask } = createExchange(socket, setup.limits);
  const page = async (search: DirectorySearch, limit: number, controls: PagedResultsControl[]) => {
    const request = (messageId: number): Message =>
      new SearchRequest({
        messageId,
        baseDN: search.base,
        scope: "sub",
        derefAliases: "never",
        filter: toFilter(search.filter),
        attributes: [...search.attributes],
        sizeLimit: limit,
        timeLimit: Math.ceil(setup.limits.timeoutMs / 1000),
        controls,
      });
    const answered = await ask(request, resultTags.search);
    const isCut = limit > 0 && answered.code === codes.sizeLimit;
    if (answered.code !== codes.success && !isCut) throw refusal("search", answered.code);
    return answered;
  };
  return {
    async bind(dn, password) {
      const text = password.reveal();
      if (text === "" || text.includes("\0") || !dn.includes("="))
        throw new DirectoryError("refused", "bind without a name or a password");
      const request = (messageId: number) => new BindRequest({ messageId, dn, password: text });
      const { code } = await ask(request, resultTags.bind);
      if (code === codes.success) return true;
      if (code === codes.invalidCredentials || code === codes.inappropriateAuthentication) return false;
      throw refusal("bind", code);
    },
    search: async (search, limit) => (await page(search, limit, [])).entries,
    async *pages(search) {
      let cookie: Buffer | undefined;
      do {
        const value = { size: pageSize, ...(cookie === undefined ? {} : { cookie }) };
        const answered: { readonly entries: readonly DirectoryEntry[]; readonly cookie: Buffer | undefined } =
          await page(search, 0, [new PagedResultsControl({ value })]);
        yield answered.entries;
        cookie = answered.cookie;
      } while (cookie !== undefined);
    },
    close() {
      socket.end(new UnbindRequest({ messageId: 1_000_000_000 }).write());
      socket.destroySoon();
    },
  };
}

function refusal(what: string, code: number): DirectoryError {
  return new DirectoryError(passingCodes.has(code) ? "unreachable" : "refused", `${what}: code ${code}`);
}

/** Waits for the first event of a socket. Raises a DirectoryError if it fails, or is closed, before. */
function eventOf(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (cause?: unknown) => {
    const code = (cause as NodeJS.ErrnoException | undefined)?.code; // as sockets of Node raise errors
    reject(new DirectoryError("unreachable", `${event}: ${code ?? "closed"}`));
  };
  socket.once(event, () => resolve());
  socket.on("error", fail); // after it was given up, nobody else listens
  socket.once("close", () => fail());
  return promise;
}
