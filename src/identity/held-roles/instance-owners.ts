import type { ReadTransaction } from "../../kernel/base/database.ts";
import { Problem } from "../../kernel/base/problem.ts";
import { listInstanceOwners } from "./repository.ts";

/**
 * Refuses a change after which no active user of an active organization would hold INSTANCE_OWNER in effect and without end, because
 * nobody could undo it. `without` names what the change takes away: a membership, or the access of a user or of all users of an organization.
 * Raises LAST_INSTANCE_OWNER.
 */
export async function requireInstanceOwner(
  tx: ReadTransaction,
  without: {
    readonly membershipId?: string;
    readonly userId?: string;
    readonly organizationId?: string;
  },
): Promise<void> {
  const owners = await listInstanceOwners(tx);
  const isOneLeft = owners.some(
    (owner) =>
      owner.endDate === null &&
      owner.membershipId !== without.membershipId &&
      owner.userId !== without.userId &&
      owner.organizationId !== without.organizationId,
  );
  if (!isOneLeft) throw lastInstanceOwner();
}

function lastInstanceOwner(): Problem {
  return new Problem({
    kind: "precondition",
    reason: "LAST_INSTANCE_OWNER",
    message:
      "no active user would hold the role INSTANCE_OWNER in effect and without end afterwards; give it to another user first",
  });
}
