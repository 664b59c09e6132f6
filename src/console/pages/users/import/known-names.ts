import type { Client } from "@connectrpc/connect";
import { readProblem } from "../../../api/call-problem.ts";
import type { GroupService } from "../../../../../gen/console/gatehouse/v1/group_service_pb.ts";
import type { ProjectService } from "../../../../../gen/console/gatehouse/v1/project_service_pb.ts";
import { findGroup } from "../../../ui/names/find-object.ts";
import { isId } from "../../../ui/names/named-object.ts";
import type { KnownNames } from "./batches.ts";
import type { Person } from "./people.ts";

/** The clients that names are looked up with. */
export interface NameClients {
  readonly groups: Client<typeof GroupService>;
  readonly projects: Client<typeof ProjectService>;
}

/** Finds the groups and projects of the organization that people of a file name, each by its id or its whole name. */
export async function findNames(
  people: readonly Person[],
  { groups, projects }: NameClients,
): Promise<KnownNames> {
  const groupNames = new Set(people.flatMap((person) => person.groups));
  const projectNames = new Set(people.flatMap(({ roles }) => roles.map(({ project }) => project)));
  const found = {
    groups: new Map<string, string | undefined>(),
    projects: new Map<string, string | undefined>(),
  };
  for (const name of groupNames) found.groups.set(name, (await findGroup(groups, name))?.id);
  for (const name of projectNames) found.projects.set(name, await findProject(projects, name));
  return found;
}

async function findProject(client: Client<typeof ProjectService>, name: string): Promise<string | undefined> {
  if (isId(name)) {
    const byId = await ifReadable(async () => (await client.getProject({ id: name })).project?.id);
    if (byId !== undefined) return byId;
  }
  return await ifReadable(async () => {
    const { projects } = await client.listProjects({ name, pageSize: 2 });
    return projects.length === 1 ? projects[0]?.id : undefined;
  });
}

/** What may not be read, or cannot exist, is not found. */
async function ifReadable<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (["not_found", "permission_denied", "invalid_argument"].includes(readProblem(error).code))
      return undefined;
    throw error;
  }
}
