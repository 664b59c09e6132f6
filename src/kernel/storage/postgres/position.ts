import type { TableWatches } from "../engine/table-watches.ts";
import type { Sendable } from "./postgres-connection.ts";

/** How far the database has come, in the only row of `log_position`. */
export interface PositionRow {
  readonly last_sequence: number;
  /** Raised by each commit that writes to a table which may be watched. */
  readonly access_version: number;
}

/** Reads the row. Every snapshot begins with it. */
export const positionStatement: Sendable = {
  name: "position",
  text: "SELECT last_sequence, access_version FROM log_position",
};

/**
 * Tables that are written too often to be watched: with logins, with tokens, or with user grants. All others raise
 * `access_version`, no matter which process writes to them, and every process then forgets what it remembers of the database.
 */
export const unwatchedTables: ReadonlySet<string> = new Set([
  "access_tokens",
  "active_users",
  "activity_hours",
  "application_words",
  "authorization_codes",
  "authorizations",
  "client_tries",
  "confirmations",
  "device_authorizations",
  "events",
  "group_words",
  "idempotent_answers",
  "idp_links",
  "imported_hashes",
  "imported_ids",
  "imported_objects",
  "interactions",
  "jwt_logins",
  "known_browsers",
  "login_challenges",
  "logout_notices",
  "metadata",
  "metadata_refreshes",
  "organization_words",
  "passkeys",
  "project_words",
  "provider_visits",
  "pushed_requests",
  "recovery_codes",
  "refresh_tokens",
  "right_events",
  "saml_logouts",
  "saml_participations",
  "second_factors",
  "security_notices",
  "session_applications",
  "session_links",
  "session_values",
  "sessions",
  "stored_user_grants",
  "target_deliveries",
  "target_positions",
  "tries",
  "used_assertions",
  "used_totp_steps",
  "user_grant_roles",
  "user_words",
]);

/** What this process knows of the position. */
export interface Position {
  lastSequence(): number;
  /** Takes in what a snapshot or a section has read on this timeline. */
  learn(row: PositionRow, timeline: number): void;
  /** Takes in what this process has committed itself. */
  onOwnCommit(row: PositionRow): void;
  /** Calls `listener` when events of other processes have become known. Returns a function that ends this. */
  onForeignEvents(listener: () => void): () => void;
}

/** Creates a position that knows nothing yet. */
export function createPosition(watches: TableWatches): Position {
  const listeners = new Set<() => void>();
  let known: PositionRow = { last_sequence: 0, access_version: 0 };
  let newestTimeline = 0;
  const advance = (row: PositionRow) => {
    known = {
      last_sequence: Math.max(known.last_sequence, row.last_sequence),
      access_version: Math.max(known.access_version, row.access_version),
    };
  };
  return {
    lastSequence: () => known.last_sequence,
    learn(row, timeline) {
      if (timeline < newestTimeline) return;
      const isAnew = timeline > newestTimeline;
      // After a failover without synchronous replication the new primary may lack what is known here.
      if (isAnew) known = { last_sequence: known.last_sequence, access_version: row.access_version };
      newestTimeline = timeline;
      const hasEvents = row.last_sequence > known.last_sequence;
      if (isAnew || row.access_version > known.access_version) watches.onForeignCommit();
      advance(row);
      if (hasEvents) for (const listener of listeners) listener();
    },
    onOwnCommit: advance,
    onForeignEvents(listener) {
      const own = () => listener(); // each call counts, also of the same function
      listeners.add(own);
      return () => void listeners.delete(own);
    },
  };
}
