/** What a server says about itself when a connection is made. */
export interface ServerFacts {
  /** Of PostgreSQL, as the server writes it: 150018 is 15.18. */
  readonly version: number;
  readonly encoding: string;
  readonly isInRecovery: boolean;
  readonly isReadOnly: boolean;
  readonly fsync: boolean;
  readonly fullPageWrites: boolean;
  /** As the server has it for this user, before the session sets it. */
  readonly synchronousCommit: string;
  readonly synchronousStandbyNames: string;
  /** Milliseconds since 1970. */
  readonly clockMs: number;
  /** The number of the process of the server that answers on this connection. */
  readonly backendPid: number;
  readonly cluster: ClusterFacts;
}

/** Which history of which cluster a server writes. */
export interface ClusterFacts {
  /** Drawn when the cluster was made; its standbys and their successors have the same. */
  readonly systemIdentifier: string;
  /** Grows by every promotion of a standby; 0 on a standby. */
  readonly timeline: number;
}

/**
 * The timeline that the server writes now. Not that of `pg_control_checkpoint()`, which stays the old one after a promotion
 * until the next checkpoint. Fails on a standby.
 */
const timeline = "('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint";

const synchronousNames = "current_setting('synchronous_standby_names')";

/**
 * Columns for the statement with which a section begins: `timeline` and `synchronous_standby_names`, for `Fence.require`.
 */
export const sectionFacts = `${timeline} AS timeline, ${synchronousNames} AS synchronous_standby_names`;

/** Asks for the facts. Every column is a text, whatever parsers of types the connection has. */
export const askServerFacts = `SELECT current_setting('server_version_num') AS version,
  current_setting('server_encoding') AS encoding,
  CASE WHEN pg_is_in_recovery() THEN 'on' ELSE 'off' END AS is_in_recovery,
  current_setting('transaction_read_only') AS is_read_only,
  current_setting('fsync') AS fsync,
  current_setting('full_page_writes') AS full_page_writes,
  current_setting('synchronous_commit') AS synchronous_commit,
  ${synchronousNames} AS synchronous_standby_names,
  (extract(epoch FROM clock_timestamp()) * 1000)::text AS clock_ms,
  pg_backend_pid()::text AS backend_pid,
  (SELECT system_identifier::text FROM pg_control_system()) AS system_identifier,
  (CASE WHEN pg_is_in_recovery() THEN 0 ELSE ${timeline} END)::text AS timeline`;

/** Converts the row that `askServerFacts` returns. */
export function toServerFacts(row: Readonly<Record<string, string>>): ServerFacts {
  const text = (name: string) => row[name] ?? "";
  return {
    version: Number(text("version")),
    encoding: text("encoding"),
    isInRecovery: text("is_in_recovery") === "on",
    isReadOnly: text("is_read_only") === "on",
    fsync: text("fsync") === "on",
    fullPageWrites: text("full_page_writes") === "on",
    synchronousCommit: text("synchronous_commit"),
    synchronousStandbyNames: text("synchronous_standby_names"),
    clockMs: Number(text("clock_ms")),
    backendPid: Number(text("backend_pid")),
    cluster: { systemIdentifier: text("system_identifier"), timeline: Number(text("timeline")) },
  };
}
