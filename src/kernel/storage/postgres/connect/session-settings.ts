/** What a connection is for. It decides about its time limits. */
export type Purpose = "section" | "read" | "locks" | "migration" | "vacuum" | "copy";

interface TimeLimits {
  readonly statementMs: number;
  readonly lockMs: number;
  /** How long the server waits for the next statement of a transaction. */
  readonly idleMs: number;
}

/**
 * Nobody waits for longer than 6 s. A wait for a lock ends a little before the statement that it is a part of. A process that is
 * stopped within its section holds up all others: the server ends its transaction after 5 s.
 */
const ofCalls: TimeLimits = { statementMs: 5200, lockMs: 5000, idleMs: 5000 };

/** The exceptions. A migration may take long, and others wait for it; it limits its own locks. */
const timeLimits: Readonly<Record<Purpose, TimeLimits>> = {
  section: ofCalls,
  read: ofCalls,
  locks: ofCalls,
  migration: { statementMs: 0, lockMs: 0, idleMs: 60_000 },
  // Its own side may be busy for minutes, and nobody waits.
  copy: { statementMs: 0, lockMs: 0, idleMs: 0 },
  vacuum: { ...ofCalls, statementMs: 0 },
};

/**
 * The settings of every session, so that what a server, a database or a role has as its default does not matter.
 *
 * The limits on TCP are for the side of the server, which so learns in about 5 s that this process is gone. Node offers
 * keepalive for our side, without its intervals, and no TCP_USER_TIMEOUT: a caller that waits for an answer needs a timer.
 */
const ofAll = {
  search_path: "public, pg_temp",
  TimeZone: "UTC",
  DateStyle: "ISO",
  bytea_output: "hex",
  standard_conforming_strings: "on",
  // A warning at a commit says that no standby has it.
  client_min_messages: "warning",
  default_transaction_isolation: "read committed",
  idle_session_timeout: "0",
  // A plan that was made for empty tables is kept as long as the connection: it must not be a scan.
  enable_seqscan: "off",
  enable_bitmapscan: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  tcp_keepalives_idle: "5",
  tcp_keepalives_interval: "1",
  tcp_keepalives_count: "5",
  tcp_user_timeout: "5000",
} as const;

/** Returns the statements that set up a session, for one round trip. `remote_apply` waits for more than `on`: it stays. */
export function sessionSettings(purpose: Purpose): string {
  const { statementMs, lockMs, idleMs } = timeLimits[purpose];
  const settings = {
    ...ofAll,
    // A copy reads as fast as the other place is written: a pause of its own must not end the connection.
    ...(purpose === "copy" ? { tcp_user_timeout: "0" } : {}),
    statement_timeout: String(statementMs),
    lock_timeout: String(lockMs),
    idle_in_transaction_session_timeout: String(idleMs),
  };
  const calls = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  const durable = `CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END`;
  return `SELECT ${[...calls, `set_config('synchronous_commit', ${durable}, false)`].join(", ")}`;
}
