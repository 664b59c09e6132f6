import type { ReadTransaction } from "../../kernel/base/database.ts";
import { isAmong } from "../../kernel/base/sql.ts";
import { fullNameOf } from "../people/user/user.ts";
import type { FoundObject, HitKind } from "./found-object.ts";

interface HitRow {
  readonly id: string;
  readonly name: string | null;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly project_id?: string;
  readonly username?: string | null;
  readonly given_name?: string | null;
  readonly family_name?: string | null;
  readonly display_name?: string | null;
}

const organization = "o.id AS organization_id, o.name AS organization_name";

/** The statements up to the ids. */
const selects: Readonly<Record<HitKind, string>> = {
  ORGANIZATION: `SELECT o.id, o.name, ${organization} FROM organizations o WHERE o.`,
  PROJECT: `SELECT p.id, p.name, p.id AS project_id, ${organization}
    FROM projects p JOIN organizations o ON o.id = p.resource_owner WHERE p.`,
  APPLICATION: `SELECT a.id, a.name, a.project_id, ${organization}
    FROM applications a JOIN organizations o ON o.id = a.resource_owner WHERE a.`,
  USER: `SELECT u.id, u.name, u.username, u.given_name, u.family_name, u.display_name, ${organization}
    FROM users u JOIN organizations o ON o.id = u.resource_owner WHERE u.`,
  GROUP: `SELECT g.id, g.name, ${organization}
    FROM groups g JOIN organizations o ON o.id = g.resource_owner WHERE g.`,
};

/** Returns the objects of one kind with these ids, in no order. Those that do not exist are left out. */
export async function listHits(
  tx: ReadTransaction,
  kind: HitKind,
  ids: readonly string[],
): Promise<readonly FoundObject[]> {
  if (ids.length === 0) return [];
  const named = isAmong("id", ids);
  const rows = await tx.all<HitRow>(`${selects[kind]}${named.sql}`, named.parameters);
  return rows.map((row) => ({
    kind,
    id: row.id,
    name: row.name ?? nameOfPerson(row),
    username: row.username ?? "",
    organizationId: row.organization_id,
    organizationName: row.organization_name,
    projectId: row.project_id ?? "",
  }));
}

function nameOfPerson({ given_name, family_name, display_name }: HitRow): string {
  return fullNameOf({
    displayName: display_name ?? "",
    givenName: given_name ?? "",
    familyName: family_name ?? "",
  });
}
