import type { ReadTransaction } from "../../../base/database.ts";
import { type Finding, toFinding } from "../../finding.ts";

/** Names the server that was found. */
export async function checkServer(tx: ReadTransaction, name: string): Promise<Finding> {
  const row = await tx.get<{ version: string; host: string }>(
    "SELECT current_setting('server_version') AS version, COALESCE(host(inet_server_addr()), 'socket') AS host",
  );
  const detail = `PostgreSQL ${row?.version ?? ""} at ${row?.host ?? ""}, for ${name}`;
  return { state: "ok", check: "server", detail };
}

interface Settings {
  readonly fsync: string;
  readonly full_page_writes: string;
  readonly synchronous_commit: string;
  readonly autovacuum: string;
  readonly data_checksums: string;
}

/** Shows the settings on which it depends whether data can be lost; --dev allows that. */
export async function checkSettings(tx: ReadTransaction, isDev: boolean): Promise<Finding> {
  const names = ["fsync", "full_page_writes", "synchronous_commit", "autovacuum", "data_checksums"] as const;
  // reset_val: this connection has settings of its own.
  const rows = await tx.all<{ name: keyof Settings; value: string }>(
    `SELECT name, reset_val AS value FROM pg_settings WHERE name IN (${names.map((name) => `'${name}'`).join(", ")})`,
  );
  const valueOf = (name: keyof Settings) => rows.find((row) => row.name === name)?.value ?? "unknown";
  const off = (["fsync", "full_page_writes", "autovacuum"] as const).filter(
    (name) => valueOf(name) === "off",
  );
  const shown = names.map((name) => `${name}=${valueOf(name)}`).join(", ");
  if (off.length > 0) {
    const detail = `${off.join(", ")} off: data can be lost or damaged, or stop growing; ${shown}`;
    return { state: isDev ? "warning" : "FAILED", check: "settings", detail };
  }
  if (valueOf("data_checksums") === "off") {
    const detail = `${shown}; without data_checksums PostgreSQL does not notice what a disk has changed: see pg_checksums`;
    return { state: "warning", check: "settings", detail };
  }
  return { state: "ok", check: "settings", detail: shown };
}

/** Says which standbys have every answered change. */
export async function checkStandbys(tx: ReadTransaction, isRequired: boolean): Promise<Finding> {
  const check = "standbys";
  const row = await tx.get<{ names: string; standbys: number; synchronous: number; hidden: number }>(
    `SELECT current_setting('synchronous_standby_names') AS names, COUNT(pid) AS standbys,
       COUNT(pid) FILTER (WHERE sync_state IN ('sync', 'quorum')) AS synchronous,
       COUNT(pid) FILTER (WHERE sync_state IS NULL) AS hidden FROM pg_stat_replication`,
  );
  const { names = "", standbys = 0, synchronous = 0, hidden = 0 } = row ?? {};
  const detail = `${standbys} connected, ${synchronous} synchronous, synchronous_standby_names is '${names}'`;
  if (names === "") {
    if (isRequired) return toFinding(check, `${detail}; commits wait for no standby`, "");
    return { state: "warning", check, detail: `${detail}; a failover can lose answered changes` };
  }
  if (hidden > 0) {
    const advice = "this user may not see their state; grant it pg_monitor";
    return { state: "warning", check, detail: `${standbys} connected; ${advice}` };
  }
  const fault = `${detail}; every change waits until one is synchronous`;
  return toFinding(check, synchronous === 0 ? fault : undefined, detail);
}

interface Reference {
  readonly child: string;
  readonly parent: string;
  readonly own: string;
  readonly other: string;
}

/** Checks every reference between rows: PostgreSQL does so itself when rows change, but not when it reads them. */
export async function checkPostgresReferences(tx: ReadTransaction): Promise<Finding> {
  const references = await tx.all<Reference>(referencesStatement);
  const broken: string[] = [];
  for (const { child, parent, own, other } of references) {
    const row = await tx.get<{ count: number }>(
      `SELECT COUNT(*) AS count FROM public.${child} c WHERE c.${own} IS NOT NULL
         AND NOT EXISTS (SELECT 1 FROM public.${parent} p WHERE p.${other} = c.${own})`,
    );
    if ((row?.count ?? 0) > 0) broken.push(`${child} to ${parent} (${row?.count})`);
  }
  const fault = `rows refer to missing rows: ${broken.join(", ")}; restore a backup, or run gatehouse rebuild`;
  return toFinding(
    "references",
    broken.length === 0 ? undefined : fault,
    `all ${references.length} kinds are valid`,
  );
}

/** Every reference of ours has one column. */
const referencesStatement = `SELECT child.relname AS child, parent.relname AS parent, own.attname AS own, other.attname AS other
  FROM pg_constraint c
  JOIN pg_class child ON child.oid = c.conrelid JOIN pg_class parent ON parent.oid = c.confrelid
  JOIN pg_attribute own ON own.attrelid = child.oid AND own.attnum = c.conkey[1]
  JOIN pg_attribute other ON other.attrelid = parent.oid AND other.attnum = c.confkey[1]
  WHERE c.contype = 'f' AND child.relnamespace = 'public'::regnamespace ORDER BY child, own`;
