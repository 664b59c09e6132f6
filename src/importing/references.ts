import type { ReadTransaction } from "../kernel/base/database.ts";
import type { OrganizationId } from "../kernel/base/ids.ts";
import type { ImportedGrant } from "../identity/imports/imported-user.ts";
import { findGroupIds, findProjectIds, listRolesOf } from "../identity/imports/reference-repository.ts";
import type { RoleRef } from "./records.ts";

/** Objects that records refer to: those of the files, and those that the organization has. */
export interface ImportReferences {
  /** Notes an object of the files, by its old id and its name. */
  addProject(project: KnownProject & { readonly oldId: string; readonly name: string }): void;
  addGroup(group: { readonly id: string; readonly oldId: string; readonly name: string }): void;
  /** Finds what the references mean. What means nothing is named in `problems`. */
  resolve(
    tx: ReadTransaction,
    asked: { readonly groups: readonly string[]; readonly roles: readonly RoleRef[] },
  ): Promise<Resolved>;
}

/** What references mean. */
export interface Resolved {
  readonly groupIds: readonly string[];
  readonly grants: readonly ImportedGrant[];
  readonly problems: readonly string[];
}

interface KnownProject {
  readonly id: string;
  readonly roleKeys: ReadonlySet<string>;
}

/** Creates references of an organization. What was found is remembered. */
export function createImportReferences(
  organizationId: OrganizationId,
  quote: (text: string) => string,
): ImportReferences {
  const projects = new Map<string, KnownProject | undefined>();
  const groups = new Map<string, string | undefined>();
  const projectOf = async (tx: ReadTransaction, ref: string) => {
    if (!projects.has(ref)) {
      const ids = await findProjectIds(tx, organizationId, ref);
      const [id] = ids;
      projects.set(
        ref,
        id === undefined || ids.length > 1 ? undefined : { id, roleKeys: await listRolesOf(tx, id) },
      );
    }
    return projects.get(ref);
  };
  const groupOf = async (tx: ReadTransaction, ref: string) => {
    if (!groups.has(ref)) {
      const ids = await findGroupIds(tx, organizationId, ref);
      groups.set(ref, ids.length === 1 ? ids[0] : undefined);
    }
    return groups.get(ref);
  };
  /** An old id and a name of the files come before what the organization has; what could mean two things means none. */
  const note = <T>(known: Map<string, T | undefined>, names: readonly string[], value: T) => {
    for (const name of new Set(names)) known.set(name, known.has(name) ? undefined : value);
  };
  return {
    addProject: ({ id, roleKeys, oldId, name }) => note(projects, [oldId, name], { id, roleKeys }),
    addGroup: ({ id, oldId, name }) => note(groups, [oldId, name], id),
    async resolve(tx, asked) {
      const problems: string[] = [];
      const groupIds = new Set<string>();
      for (const ref of new Set(asked.groups)) {
        const id = await groupOf(tx, ref);
        if (id === undefined) problems.push(`comes without the group ${quote(ref)}, which is not there`);
        else groupIds.add(id);
      }
      const grants = new Map<string, Set<string>>();
      for (const { project: ref, roleKeys } of asked.roles) {
        const project = await projectOf(tx, ref);
        if (project === undefined)
          problems.push(`comes without the roles of the project ${quote(ref)}, which is not there`);
        for (const key of project === undefined ? [] : new Set(roleKeys)) {
          if (project?.roleKeys.has(key) === true)
            grants.set(project.id, (grants.get(project.id) ?? new Set()).add(key));
          else problems.push(`comes without the role ${quote(key)}, which the project ${quote(ref)} lacks`);
        }
      }
      return {
        groupIds: [...groupIds],
        grants: [...grants].map(([projectId, keys]) => ({ projectId, roleKeys: [...keys] })),
        problems,
      };
    },
  };
}
