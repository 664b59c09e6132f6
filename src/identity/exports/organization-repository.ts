import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { ExportedRow, ExportedTable } from "./repository.ts";
import type { AggregateType } from "../../kernel/events/payloads.ts";

/** The event that an object begins with. */
export interface FirstEvent {
  readonly resourceOwner: string;
  readonly type: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Returns the event that the object begins with, also if the object was removed since; undefined if nothing ever had the id. */
export async function findFirstEvent(
  tx: ReadTransaction,
  aggregateType: AggregateType,
  id: string,
): Promise<FirstEvent | undefined> {
  const row = await tx.get<{ resource_owner: string; type: string; payload: string }>(
    "SELECT resource_owner, type, payload FROM events WHERE aggregate_type = ? AND aggregate_id = ? AND revision = 1",
    [aggregateType, id],
  );
  if (row === undefined) return undefined;
  const payload = JSON.parse(row.payload) as FirstEvent["payload"]; // written by append
  return { resourceOwner: row.resource_owner, type: row.type, payload };
}

/** Returns the revision of the last event of the object and its owner; undefined if nothing ever had the id. */
export async function findLastRevision(
  tx: ReadTransaction,
  aggregateType: string,
  id: string,
): Promise<{ readonly revision: number; readonly resource_owner: string } | undefined> {
  return await tx.get<{ revision: number; resource_owner: string }>(
    "SELECT revision, resource_owner FROM events WHERE aggregate_type = ? AND aggregate_id = ? ORDER BY revision DESC LIMIT 1",
    [aggregateType, id],
  );
}

/** Says whether the log has an event with this sequence. */
export async function isSequenceTaken(tx: ReadTransaction, sequence: number): Promise<boolean> {
  return (await tx.get("SELECT 1 FROM events WHERE sequence = ?", [sequence])) !== undefined;
}

/** Returns the provider of a link that the user has or had. */
export async function findProviderOfLink(
  tx: ReadTransaction,
  userId: string,
  linkId: string,
): Promise<string | undefined> {
  const rows = await tx.all<{ payload: string }>(
    "SELECT payload FROM events WHERE aggregate_type = 'user' AND aggregate_id = ? AND type = 'user.idp_link.added' ORDER BY revision",
    [userId],
  );
  return rows
    .map(({ payload }) => JSON.parse(payload) as { readonly link_id: string; readonly idp_id: string }) // written by append
    .find(({ link_id: id }) => id === linkId)?.idp_id;
}

/** What an import may have made, as the log names it. */
const importedTypes: readonly AggregateType[] = [
  "user",
  "project",
  "group",
  "application",
  "identity_provider",
];

async function findOwnerOfImported(tx: ReadTransaction, id: string): Promise<string | undefined> {
  for (const type of importedTypes) {
    const first = await findFirstEvent(tx, type, id);
    if (first !== undefined) return first.resourceOwner;
  }
  return undefined;
}

/** Says whether a row beside the log is of the organization, or of something in it. */
export async function isRowOf(
  tx: ReadTransaction,
  { of: { column, kind } }: Pick<ExportedTable, "of">,
  { row, organizationId }: { readonly row: ExportedRow; readonly organizationId: string },
): Promise<boolean> {
  const id = String(row[column] ?? "");
  if (kind === "organization") return id === organizationId;
  if (kind === "imported") return (await findOwnerOfImported(tx, id)) === organizationId;
  return (await findFirstEvent(tx, kind, id))?.resourceOwner === organizationId;
}

/** Where an object that an export leaves out is looked for. */
const tables = {
  membership: "SELECT 1 FROM memberships WHERE id = ?",
  project_grant: "SELECT 1 FROM project_grants WHERE id = ?",
  user_grant: "SELECT 1 FROM user_grants WHERE id = ?",
  group_grant: "SELECT 1 FROM group_grants WHERE id = ?",
  application: "SELECT 1 FROM applications WHERE id = ?",
  confirmation: "SELECT 1 FROM confirmations WHERE user_id = ? AND application_id = ?",
  session: "SELECT 1 FROM sessions WHERE id = ?",
  group: "SELECT 1 FROM groups WHERE id = ?",
  idp_link: "SELECT 1 FROM idp_links WHERE id = ?",
  login_policy_idp: "SELECT 1 FROM login_policy_idps WHERE policy_id = ? AND idp_id = ?",
} as const;

/** A kind of object that an export of an organization may have to leave out. */
export type LeftOutKind = keyof typeof tables;

/** Says whether there is such an object at the moment. It has one id, but for what is between two objects. */
export async function isStillThere(
  tx: ReadTransaction,
  kind: LeftOutKind,
  ids: readonly string[],
): Promise<boolean> {
  return (await tx.get(tables[kind], [...ids])) !== undefined;
}

/** Something that stays where it is, although it is about an organization that is exported. */
export interface StayingBehind {
  readonly id: string;
  /** The id of the user, group or project that it is about. */
  readonly about: string;
  readonly owner: string;
}

const staying = {
  membership: `SELECT m.id, COALESCE(m.user_id, m.group_id) AS about, m.resource_owner AS owner FROM memberships m
     LEFT JOIN users u ON u.id = m.user_id LEFT JOIN groups g ON g.id = m.group_id
     WHERE COALESCE(u.resource_owner, g.resource_owner) = ? AND m.resource_owner <> ?`,
  user_grant: `SELECT t.id, t.user_id AS about, t.resource_owner AS owner FROM user_grants t
     JOIN users u ON u.id = t.user_id WHERE u.resource_owner = ? AND t.resource_owner <> ?`,
  group_grant: `SELECT t.id, t.group_id AS about, t.resource_owner AS owner FROM group_grants t
     JOIN groups g ON g.id = t.group_id WHERE g.resource_owner = ? AND t.resource_owner <> ?`,
  project_grant:
    "SELECT id, project_id AS about, resource_owner AS owner FROM project_grants WHERE granted_organization_id = ? AND resource_owner <> ?",
  target: `SELECT t.id, c.user_id AS about, c.resource_owner AS owner FROM targets t
     JOIN credentials c ON c.id = t.token_id WHERE t.resource_owner = ? AND c.resource_owner <> ?`,
} as const;

/** What others have that is about the organization; of targets, those of the organization that have the rights of a stranger. */
export type StayingKind = keyof typeof staying;

/** The kinds in the order of a plan. */
export const stayingKinds = Object.keys(staying) as readonly StayingKind[]; // it has no other keys

const stayingAtOnce = 500;

/** Returns some objects that stay behind, in the order of ids, after this one; none at the end. */
export async function listStaying(
  tx: ReadTransaction,
  kind: StayingKind,
  { organizationId, after }: { readonly organizationId: string; readonly after: string },
): Promise<readonly StayingBehind[]> {
  return await tx.all<StayingBehind>(
    `SELECT id, about, owner FROM (${staying[kind]}) AS found WHERE id > ? ORDER BY id LIMIT ${stayingAtOnce}`,
    [organizationId, organizationId, after],
  );
}

/** Returns the organization whose user has the object with this id, by the kind of the secret that it has. */
const owners: Readonly<Record<string, string>> = {
  password: "SELECT resource_owner FROM users WHERE id = ?",
  token: "SELECT resource_owner FROM credentials WHERE id = ?",
  "user-secret": "SELECT resource_owner FROM credentials WHERE id = ?",
  totp: "SELECT resource_owner FROM second_factors WHERE id = ?",
  "recovery-codes": "SELECT resource_owner FROM recovery_codes WHERE id = ?",
};

/** Those of an object of which there are few: `listSecretsHeld` names them. */
const held: ReadonlySet<string> = new Set([
  "application-secret",
  "client-secret",
  "hook-secret",
  "target-secret",
]);

/** Keys of the instance, keys that have a line of their own, and what lives for minutes: codes, counters, challenges, messages. */
const ofNoOrganization =
  /^(?:signing-key|saml-key|saml-pairwise|user-key|organization-key|(?:phone|email|reset|phone-factor|email-factor)-(?:code|tries)|[a-z-]+-rate|u2f-challenge|passkey-challenge|logout|saml-logout|saml-participation)$/;

/** Returns the ids of the secrets that applications, providers, hooks and targets of the organization have. */
export async function listSecretsHeld(
  tx: ReadTransaction,
  organizationId: string,
): Promise<ReadonlySet<string>> {
  const idsIn = async (sql: string, prefix: string, pattern: RegExp) =>
    (await tx.all<{ text: string }>(sql, [organizationId])).flatMap(({ text }) =>
      [...text.matchAll(pattern)].map(([, id = ""]) => `${prefix}:${id}`),
    );
  const named = /"id":"([^"]+)"/g;
  return new Set([
    ...(await idsIn(
      "SELECT secret_id AS text FROM applications WHERE resource_owner = ? AND secret_id IS NOT NULL",
      "application-secret",
      /^(.+)$/g,
    )),
    ...(await idsIn(
      "SELECT config AS text FROM identity_providers WHERE resource_owner = ?",
      "client-secret",
      /"client-secret:([^"]+)"/g,
    )),
    ...(await idsIn("SELECT secrets AS text FROM hooks WHERE resource_owner = ?", "hook-secret", named)),
    ...(await idsIn("SELECT secrets AS text FROM targets WHERE resource_owner = ?", "target-secret", named)),
  ]);
}

/**
 * Says whether the secret with this id is of the organization. `secretsHeld` is what `listSecretsHeld` returned. Throws for a kind of
 * secret about which nothing is known here.
 */
export async function isSecretOfOrganization(
  tx: ReadTransaction,
  id: string,
  of: { readonly organizationId: string; readonly secretsHeld: ReadonlySet<string> },
): Promise<boolean> {
  const [kind = "", object = ""] = id.split(/:(.*)/s);
  if (held.has(kind)) return of.secretsHeld.has(id);
  const sql = owners[kind];
  if (sql !== undefined) {
    const row = await tx.get<{ resource_owner: string }>(sql, [object]);
    return row?.resource_owner === of.organizationId;
  }
  if (ofNoOrganization.test(kind)) return false;
  throw new Error(`nothing says whose the secrets of the kind ${kind} are`);
}
