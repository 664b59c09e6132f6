import type { OrganizationId, UserId } from "../../../src/kernel/base/ids.ts";
import { addOrganization } from "../../../src/identity/organizations/organization.ts";
import { addServiceUser } from "../../../src/identity/people/user/user.ts";
import { openInstallation } from "../../../src/app/installation.ts";
import { serviceProfile } from "../../support/samples.ts";
import { withIds } from "../../support/ids.ts";

/** Adds an organization of so many users to a data folder that nobody serves. Returns its id. */
export async function addManyUsers(path: string, count: number): Promise<OrganizationId> {
  const { context, close } = await openInstallation({ dataFolder: path }, { isNewAllowed: false });
  const { database, ids, log } = withIds(context);
  const origin = { editor: "system", remoteAddress: undefined, requestId: "test" } as const;
  const id = ids.next<OrganizationId>();
  await database.write((tx) => log.append(tx, origin, [addOrganization(id, `organization ${id}`)]));
  for (let left = count; left > 0; left -= 500) {
    const events = Array.from({ length: Math.min(left, 500) }, () => {
      const userId = ids.next<UserId>();
      return addServiceUser(userId, id, serviceProfile({ username: `user ${userId}`, name: "Zq7Name" }));
    });
    await database.write((tx) => log.append(tx, origin, events));
  }
  await close();
  return id;
}
