import { Client, type CustomTypesConfig, type QueryResult } from "pg";
import type { Clock } from "../../../base/clock.ts";
import type { PostgresAddress } from "./address.ts";
import { anyLogin, type ChannelBindingCheck, requireChannelBinding } from "./channel-binding.ts";
import { ServerRefusedError, ServerUnfitError } from "./errors.ts";
import type { PostgresHost } from "./hosts.ts";
import { findPassword } from "./passwords.ts";
import { askServerFacts, type ServerFacts, toServerFacts } from "./server-facts.ts";
import { type ClockSkew, skewOf } from "./server-checks.ts";
import { type Purpose, sessionSettings } from "./session-settings.ts";
import { readTlsOptions } from "./tls.ts";

/** A connection to a server with the settings of a session, and what the server said about itself. */
export interface OpenedSession {
  readonly client: Client;
  readonly facts: ServerFacts;
  readonly skew: ClockSkew;
}

/** How a connection to one server is made. */
export interface SessionOptions {
  readonly address: PostgresAddress;
  readonly server: PostgresHost;
  readonly purpose: Purpose;
  readonly types: CustomTypesConfig | undefined;
  readonly clock: Clock;
  /** Ends the attempt early. */
  readonly end: AbortSignal;
}

const keepAliveDelayMs = 5000;

/**
 * Connects to one server, asks for its facts and sets up the session, all within the time limit of the address and before
 * `end`. Throws
 * the errors of the driver, ServerRefusedError and DatabaseAddressError.
 */
export async function openSession(options: SessionOptions): Promise<OpenedSession> {
  const { client, binding } = createClient(options);
  // The failure of the connection reaches its statements; without a listener it would end the process as well.
  client.on("error", () => {});
  let lateness: string | undefined;
  const stop = (reason: string) => {
    lateness ??= reason;
    destroySession(client);
  };
  const { connectTimeoutMs } = options.address;
  const limit = setTimeout(() => stop(`it did not answer within ${connectTimeoutMs} ms`), connectTimeoutMs);
  const onEnd = () => stop("it did not answer before the search ended");
  options.end.addEventListener("abort", onEnd);
  try {
    await client.connect();
    binding.afterLogin();
    const { clock } = options;
    const beforeMs = clock.nowMs();
    const answers: unknown = await client.query(`${askServerFacts}; ${sessionSettings(options.purpose)}`);
    const facts = toServerFacts(firstRowOf(answers));
    return { client, facts, skew: skewOf(facts.clockMs, beforeMs, clock.nowMs()) };
  } catch (error) {
    destroySession(client);
    if (lateness !== undefined) throw new ServerUnfitError(lateness, { cause: error });
    throw error;
  } finally {
    clearTimeout(limit);
    options.end.removeEventListener("abort", onEnd);
  }
}

/** Ends a connection at once, without a word to the server. Statements under way fail. */
export function destroySession(client: Client): void {
  client.connection.stream.destroy();
}

function createClient({ address, server, purpose, types }: SessionOptions): {
  readonly client: Client;
  readonly binding: ChannelBindingCheck;
} {
  let binding = anyLogin;
  const client = new Client({
    ...server,
    user: address.user,
    database: address.database,
    password: () => {
      binding.beforePassword();
      return revealPassword(address, server);
    },
    ssl: readTlsOptions(address.tls, server.host),
    enableChannelBinding: address.channelBinding !== "disable",
    options: address.options ?? "",
    application_name: `${address.applicationName} ${purpose}`,
    client_encoding: "UTF8",
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    pipeline: purpose !== "copy", // the driver has no COPY there
    ...(types === undefined ? {} : { types }),
  });
  if (address.channelBinding === "require") binding = requireChannelBinding(client);
  return { client, binding };
}

function revealPassword(address: PostgresAddress, server: PostgresHost): string {
  const password = findPassword(address, server);
  if (password !== undefined) return password.reveal();
  throw new ServerRefusedError(
    "it asks for a password; give one as PGPASSWORD, or in the file that PGPASSFILE names",
  );
}

/** The driver returns a list of results for several statements. */
function firstRowOf(answers: unknown): Readonly<Record<string, string>> {
  const [first] = answers as readonly QueryResult<Record<string, string>>[]; // as documented
  const row = first?.rows[0];
  if (row === undefined) throw new Error("the server did not say anything about itself");
  return row;
}
