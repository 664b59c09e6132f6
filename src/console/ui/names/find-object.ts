import type { Client } from "@connectrpc/connect";
import { readProblem } from "../../api/call-problem.ts";
import type { GroupService } from "../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import type { OrganizationService } from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { SearchHitKind, type SearchService } from "../../../../gen/console/gatehouse/v1/search_service_pb.ts";
import type { User } from "../../../../gen/console/gatehouse/v1/user_pb.ts";
import type { UserService } from "../../../../gen/console/gatehouse/v1/user_service_pb.ts";
import { fullNameOfUser } from "../user-name.ts";
import { isId, type NamedObject } from "./named-object.ts";

/**
 * Finds a user by id, or by the whole username or email among those of the client's organization. Nobody can replace another
 * user by a username that reads like the other's id or email: an id goes before a name, and a text that is the username of one and the
 * email of another finds neither. Of `given`, ids that the console itself put into the form, only the id counts.
 *
 * Undefined when there is none whom the user of the console may read, or when the text fits several. Fails when the service does not
 * answer: the text of an id is not taken for a name because of that.
 */
export async function findUser(
  client: Client<typeof UserService>,
  text: string,
  given: readonly string[] = [],
): Promise<NamedObject | undefined> {
  const wanted = text.trim();
  if (isId(wanted)) {
    const { user } = await ifFound(client.getUser({ userId: wanted }), { user: undefined });
    if (user !== undefined) return toNamed(user);
  }
  if (!mayBeName(wanted) || given.includes(wanted)) return undefined;
  const filters = wanted.includes("@") ? [{ username: wanted }, { email: wanted }] : [{ username: wanted }];
  const found = new Map<string, User>();
  for (const filter of filters) {
    const { users } = await ifFound(client.listUsers({ pageSize: 2, ...filter }), { users: [] });
    for (const user of users) found.set(user.id, user);
  }
  const [user] = found.values();
  return user !== undefined && found.size === 1 ? toNamed(user) : undefined;
}

/** Finds a group of the client's organization by its id, or by its whole name; an id goes before a name. Undefined when there is none. */
export async function findGroup(
  client: Client<typeof GroupService>,
  text: string,
): Promise<NamedObject | undefined> {
  const wanted = text.trim();
  if (isId(wanted)) {
    const { group } = await ifFound(client.getGroup({ id: wanted }), { group: undefined });
    if (group !== undefined) return { id: group.id, title: group.name };
  }
  const { groups } = await ifFound(client.listGroups({ pageSize: 1000, search: wanted }), { groups: [] });
  const named = groups.filter(({ name }) => name.trim().toLowerCase() === wanted.toLowerCase());
  const [group] = named;
  return group !== undefined && named.length === 1 ? { id: group.id, title: group.name } : undefined;
}

/**
 * Finds an organization by its id, or by its whole name; an id goes before a name. Undefined when there is none that the user of the
 * console may read. Fails when the service does not answer.
 */
export async function findOrganization(
  client: Client<typeof OrganizationService>,
  text: string,
): Promise<NamedObject | undefined> {
  const wanted = text.trim();
  if (isId(wanted)) {
    const { organization } = await ifFound(client.getOrganization({ id: wanted }), {
      organization: undefined,
    });
    if (organization !== undefined) return toNamedOrganization(organization);
  }
  if (!mayBeName(wanted)) return undefined;
  const { organizations } = await ifFound(client.listOrganizations({ pageSize: 2, name: wanted }), {
    organizations: [],
  });
  const [named] = organizations;
  return named !== undefined && organizations.length === 1 ? toNamedOrganization(named) : undefined;
}

/**
 * Finds an application by its client id, or by its whole name; of several with the name the only one of the organization. A client id
 * goes before a name. Undefined when there is none that the user of the console may read.
 */
export async function findApplication(
  client: Client<typeof SearchService>,
  text: string,
  organizationId: string,
): Promise<NamedObject | undefined> {
  const wanted = text.trim();
  if (wanted === "") return undefined;
  const { hits } = await ifFound(client.search({ search: wanted.slice(0, 200), limit: 20 }), { hits: [] });
  const applications = hits.filter(({ kind }) => kind === SearchHitKind.APPLICATION);
  const named = applications.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  const inside = named.filter((hit) => hit.organizationId === organizationId);
  const [only, ...others] = inside.length > 0 ? inside : named;
  const found = applications.find(({ id }) => id === wanted) ?? (others.length === 0 ? only : undefined);
  return found && { id: found.id, title: found.name, organizationId: found.organizationId };
}

/** Since the first days of 2026 no id has been shorter: they begin with the time. */
const digitsOfIds = 16;

/**
 * Says whether the text may be a name, which an empty one is not. A number as long as ids are is none either, even where it finds nothing:
 * it may be the id of an object that the user of the console may not read. Shorter ones are names, such as the numbers of employees.
 */
function mayBeName(text: string): boolean {
  return text !== "" && !(isId(text) && text.length >= digitsOfIds);
}

function toNamed(user: User): NamedObject {
  return { id: user.id, title: fullNameOfUser(user), organizationId: user.details?.resourceOwner };
}

function toNamedOrganization({ id, name }: { readonly id: string; readonly name: string }): NamedObject {
  return { id, title: name, organizationId: id };
}

/** An object that may not be read is not found, nor one that cannot exist. */
async function ifFound<T, Other>(answer: Promise<T>, otherwise: Other): Promise<T | Other> {
  try {
    return await answer;
  } catch (error) {
    if (["not_found", "permission_denied", "invalid_argument"].includes(readProblem(error).code))
      return otherwise;
    throw error;
  }
}
