import type { Caller } from "../../kernel/base/call.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import { holdsOnInstance, holdsOnOrganization } from "../../kernel/base/permission.ts";
import type { LoggedEvent } from "../../kernel/events/event.ts";
import { listOrganizationsOfUsers } from "../people/user/repository.ts";

/**
 * Returns the events without the addresses of editors whom the caller may not read: an event belongs to the
 * organization of its object, but its editor may belong to another one.
 */
export async function hideAddresses(
  tx: ReadTransaction,
  caller: Pick<Caller, "userId" | "held">,
  events: readonly LoggedEvent[],
): Promise<readonly LoggedEvent[]> {
  if (holdsOnInstance(caller.held, "user.read")) return events;
  const others = new Set<string>();
  for (const { editor, remoteAddress } of events)
    if (remoteAddress !== undefined && editor !== caller.userId) others.add(editor);
  if (others.size === 0) return events;
  const hidden = new Set(others);
  for (const { id, organizationId } of await listOrganizationsOfUsers(tx, [...others]))
    if (holdsOnOrganization(caller.held, "user.read", organizationId)) hidden.delete(id);
  if (hidden.size === 0) return events;
  return events.map((event) => (hidden.has(event.editor) ? { ...event, remoteAddress: undefined } : event));
}
