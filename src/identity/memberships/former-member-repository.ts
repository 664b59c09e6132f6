import type { WriteTransaction } from "../../kernel/base/database.ts";
import type { Projection } from "../../kernel/events/event.ts";

/**
 * Forgets which tokens do not carry the roles of a group's membership when their user is not in the group any more: a user who comes back
 * gains the roles again. Its appliers come after those of groups, which are called in reverse order for a removal, so it stands before them.
 */
export const formerMemberProjection: Projection = {
  tables: [],
  on: {
    "group.member.removed": (tx) => forget(tx),
    "group.removed": (tx) => forget(tx),
  },
};

/** Few memberships are of groups, and of these hardly any token carries less. */
async function forget(tx: WriteTransaction): Promise<void> {
  await tx.run(
    `DELETE FROM left_out_roles
     WHERE membership_id IN (SELECT id FROM stored_memberships WHERE group_id IS NOT NULL)
       AND NOT EXISTS (
         SELECT 1 FROM stored_memberships m JOIN nested_groups n ON n.outer_id = m.group_id
           JOIN group_members g ON g.group_id = n.inner_id
           JOIN credentials c ON c.user_id = g.user_id
         WHERE m.id = left_out_roles.membership_id AND c.id = left_out_roles.token_id)`,
  );
}
