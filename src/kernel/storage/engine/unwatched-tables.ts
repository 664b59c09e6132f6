import { isTold, tableOf } from "./table-watches.ts";

/**
 * Tables that are written too often to be watched: with logins, with tokens, or with user grants. All others raise
 * the version of access, no matter which process writes to them, and every process then forgets what it remembers of the database.
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

/** Says whether a statement changes what processes may remember of a database that they share. */
export function isOfAccess(sql: string): boolean {
  const table = tableOf(sql);
  return isTold(sql) && (table === undefined || !unwatchedTables.has(table));
}
