import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { ReferenceTarget } from "../kinds/object-kind.ts";
import type { ServiceReader } from "../reading/reader.ts";
import { foldName } from "../../kernel/base/names/folding.ts";
import { listGranted, listNamed } from "./lists.ts";

/** Finds ids by names: of what the file has, and of what the service has besides. */
export interface NameTable {
  /** Notes an object of the file, with the id that it has or will get. `within`: the organization that it is in. */
  note(target: ReferenceTarget, within: string, named: { readonly name: string; readonly id: string }): void;
  /** Returns the id; undefined: there is no such object. */
  find(
    target: Exclude<ReferenceTarget, "projectGrant">,
    within: string,
    name: string,
  ): Promise<string | undefined>;
  /** Returns the ids of a project of another organization, and of its grant to `within`. Undefined: there is no such grant. */
  findGranted(
    within: string,
    project: { readonly ownerId: string; readonly name: string },
  ): Promise<{ readonly projectId: string; readonly grantId: string } | undefined>;
}

/** What an id begins with that an earlier item of the batch will make. */
export const bulkPrefix = "bulkId:";

/** Creates a table of names. */
export function createNameTable(reader: ServiceReader): NameTable {
  const noted = new Map<string, string>();
  const organizations = new Set<string>();
  const keyOf = (target: ReferenceTarget, within: string, name: string) =>
    JSON.stringify([
      target,
      target === "organization" ? "" : within,
      target === "projectGrant" ? name : foldName(name),
    ]);
  const findUser = async (within: string, username: string) => {
    // Usernames are unique in the instance, but found only in the organization of the user.
    for (const organizationId of new Set([within, ...organizations])) {
      const known = noted.get(keyOf("user", organizationId, username));
      if (known !== undefined) return known;
      if (organizationId.startsWith(bulkPrefix)) continue;
      const found = await reader.once(`user ${organizationId} ${username}`, async () => {
        const { users } = await reader.in(organizationId, UserService).listUsers({ username });
        return users[0]?.id;
      });
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const find: NameTable["find"] = async (target, within, name) => {
    const known = noted.get(keyOf(target, within, name));
    if (known !== undefined) return known;
    if (target === "user") return await findUser(within, name);
    if (target === "organization")
      return await reader.once(`organization ${foldName(name)}`, async () => {
        const found = await reader.in("", OrganizationService).listOrganizations({ name });
        return found.organizations[0]?.id;
      });
    if (within.startsWith(bulkPrefix)) return undefined;
    const all = await listNamed(reader, target, within);
    return all.find((each) => foldName(each.name) === foldName(name))?.id;
  };
  return {
    note(target, within, { name, id }) {
      noted.set(keyOf(target, within, name), id);
      if (target === "organization") organizations.add(id);
    },
    find,
    async findGranted(within, { ownerId, name }) {
      const projectId = noted.get(keyOf("project", ownerId, name));
      const grantId = projectId && noted.get(keyOf("projectGrant", within, projectId));
      if (projectId !== undefined && grantId !== undefined) return { projectId, grantId };
      if (within.startsWith(bulkPrefix)) return undefined;
      const granted = (await listGranted(reader, within)).find(
        ({ details, projectName }) =>
          details?.resourceOwner === ownerId && foldName(projectName) === foldName(name),
      );
      return granted && { projectId: granted.projectId, grantId: granted.id };
    },
  };
}
