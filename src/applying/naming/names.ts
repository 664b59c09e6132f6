import type { JsonValue } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { GatehouseError } from "../../client/client.ts";
import type { ReferenceTarget } from "../kinds/object-kind.ts";
import type { ServiceReader } from "../reading/reader.ts";
import { listGranted, listNamed } from "./lists.ts";

/** What an id stands for. */
export interface FoundName {
  readonly name: string;
  /** The organization of a project, where it is another one. */
  readonly owner?: string | undefined;
  /** Whether it is a human user. */
  readonly isPerson?: boolean;
}

/** Finds the name of an id that an object of the organization holds. Undefined: it is nothing that the caller may see. */
export async function findName(
  reader: ServiceReader,
  target: ReferenceTarget,
  { organizationId, id }: { readonly organizationId: string; readonly id: JsonValue | undefined },
): Promise<FoundName | undefined> {
  const one: unknown = Array.isArray(id) ? id[0] : id;
  if (typeof one !== "string" || one === "") return undefined;
  switch (target) {
    case "organization":
      return await findOrganizationName(reader, one);
    case "user":
      return await findUserName(reader, organizationId, one);
    case "project":
      return await findProjectName(reader, organizationId, one);
    case "group":
    case "hook":
    case "idp": {
      const all = await listNamed(reader, target, organizationId);
      const found = all.find((each) => each.id === one);
      return found && { name: found.name };
    }
    case "projectGrant":
      return undefined;
  }
}

async function findOrganizationName(reader: ServiceReader, id: string): Promise<FoundName | undefined> {
  return await reader.once(`name of organization ${id}`, () =>
    unlessMissing(async () => {
      const { organization } = await reader.in("", OrganizationService).getOrganization({ id });
      return organization && { name: organization.name };
    }),
  );
}

async function findUserName(
  reader: ServiceReader,
  within: string,
  userId: string,
): Promise<FoundName | undefined> {
  return await reader.once(`name of user ${within} ${userId}`, () =>
    unlessMissing(async () => {
      const { user } = await reader.in(within, UserService).getUser({ userId });
      return user && { name: user.username, isPerson: user.type.case === "human" };
    }),
  );
}

async function findProjectName(
  reader: ServiceReader,
  within: string,
  id: string,
): Promise<FoundName | undefined> {
  const own = within === "" ? [] : await listNamed(reader, "project", within);
  const found = own.find((each) => each.id === id);
  if (found !== undefined) return { name: found.name };
  if (within === "") return await findProjectAnywhere(reader, id);
  const granted = (await listGranted(reader, within)).find(({ projectId }) => projectId === id);
  if (granted === undefined) return undefined;
  const owner = await findOrganizationName(reader, granted.details?.resourceOwner ?? "");
  return { name: granted.projectName, owner: owner?.name };
}

/** Finds the project of a setting of the instance. */
async function findProjectAnywhere(reader: ServiceReader, id: string): Promise<FoundName | undefined> {
  const { organizations } = await reader.once("organizations", () =>
    reader.in("", OrganizationService).listOrganizations({ pageSize: 1000 }),
  );
  for (const organization of organizations) {
    const found = (await listNamed(reader, "project", organization.id)).find((each) => each.id === id);
    if (found !== undefined) return { name: found.name, owner: organization.name };
  }
  return undefined;
}

async function unlessMissing<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    const { code } = GatehouseError.from(error);
    if (code === Code.NotFound || code === Code.PermissionDenied) return undefined;
    throw error;
  }
}
