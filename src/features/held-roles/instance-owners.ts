import type { ReadTransaction } from "../../base/database.ts";
import { Problem } from "../../base/problem.ts";

/**
 * Refuses a change after which no active user of an active organization would hold INSTANCE_OWNER: nobody could undo it. Names
 * what the change takes away: a membership, or the access of a user or of all users of an organization. Raises
 * LAST_INSTANCE_OWNER.
 */
export async function requireInstanceOwner(
  tx: ReadTransaction,
  without: {
    readonly membershipId?: string;
    readonly userId?: string;
    readonly organizationId?: string;
  },
): Promise<void> {
  const rows = await tx.all<{ roles: string }>(
    `SELECT m.roles FROM memberships m JOIN users u ON u.id = m.user_id JOIN organizations o ON o.id = u.resource_owner
     WHERE m.scope_kind = 'instance' AND m.scope_id = '' AND u.state = 'ACTIVE' AND o.state = 'ACTIVE'
       AND m.id <> ? AND u.id <> ? AND o.id <> ?`,
    [without.membershipId ?? "", without.userId ?? "", without.organizationId ?? ""],
  );
  const isOneLeft = rows.some(({ roles }) => (JSON.parse(roles) as string[]).includes("INSTANCE_OWNER")); // written by the applier
  if (!isOneLeft) throw lastInstanceOwner();
}

function lastInstanceOwner(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "LAST_INSTANCE_OWNER",
    message: "no active user would hold the role INSTANCE_OWNER afterwards; give it to another user first",
  });
}
