import type { ReadTransaction } from "../kernel/base/database.ts";
import { type IdentityProviderId, type OrganizationId, toId } from "../kernel/base/ids.ts";
import { findIdentityLink } from "../identity/people/identity-links/repository.ts";
import type { ImportedGrant, ImportedLink } from "../identity/imports/imported-user.ts";
import {
  findGroupIds,
  findProjectIds,
  findProviderIds,
  listRolesOf,
} from "../identity/imports/reference-repository.ts";
import type { LinkRecord, RoleRef } from "./records.ts";

/** Objects that records refer to: those of the files, and those that the organization has. */
export interface ImportReferences {
  /** Notes an object of the files, by its old id and its name. */
  addProject(project: KnownProject & { readonly oldId: string; readonly name: string }): void;
  addGroup(group: { readonly id: string; readonly oldId: string; readonly name: string }): void;
  addProvider(provider: { readonly id: string; readonly oldId: string; readonly name: string }): void;
  /** Finds a project; undefined: there is none, or there are several. */
  projectId(tx: ReadTransaction, ref: string): Promise<string | undefined>;
  /** Finds what the references mean. What means nothing is named in `problems`. */
  resolve(
    tx: ReadTransaction,
    asked: {
      readonly groups: readonly string[];
      readonly roles: readonly RoleRef[];
      readonly links?: readonly LinkRecord[];
    },
  ): Promise<Resolved>;
}

/** What references mean. */
export interface Resolved {
  readonly groupIds: readonly string[];
  readonly grants: readonly ImportedGrant[];
  readonly links: readonly ImportedLink[];
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
  const projects = createNames<KnownProject>(async (tx, ref) => {
    const id = onlyOf(await findProjectIds(tx, organizationId, ref));
    return id === undefined ? undefined : { id, roleKeys: await listRolesOf(tx, id) };
  });
  const groups = createNames(async (tx, ref) => onlyOf(await findGroupIds(tx, organizationId, ref)));
  const providers = createNames(async (tx, ref) => onlyOf(await findProviderIds(tx, organizationId, ref)));
  return {
    addProject: ({ id, roleKeys, oldId, name }) => projects.note([oldId, name], { id, roleKeys }),
    addGroup: ({ id, oldId, name }) => groups.note([oldId, name], id),
    addProvider: ({ id, oldId, name }) => providers.note([oldId, name], id),
    projectId: async (tx, ref) => (await projects.find(tx, ref))?.id,
    async resolve(tx, asked) {
      const problems: string[] = [];
      const groupIds = new Set<string>();
      for (const ref of new Set(asked.groups)) {
        const id = await groups.find(tx, ref);
        if (id === undefined) problems.push(`comes without the group ${quote(ref)}, which is not there`);
        else groupIds.add(id);
      }
      const grants = new Map<string, Set<string>>();
      for (const { project: ref, roleKeys } of asked.roles) {
        const project = await projects.find(tx, ref);
        if (project === undefined)
          problems.push(`comes without the roles of the project ${quote(ref)}, which is not there`);
        for (const key of project === undefined ? [] : new Set(roleKeys)) {
          if (project?.roleKeys.has(key) === true)
            grants.set(project.id, (grants.get(project.id) ?? new Set()).add(key));
          else problems.push(`comes without the role ${quote(key)}, which the project ${quote(ref)} lacks`);
        }
      }
      const links: ImportedLink[] = [];
      for (const { provider: ref, externalUserId, externalUsername } of asked.links ?? []) {
        const providerId = await providers.find(tx, ref);
        if (providerId === undefined || externalUserId === "")
          problems.push(`comes without a link to the identity provider ${quote(ref)}, which is not there`);
        else if (await isLinked(tx, toId(providerId), externalUserId))
          problems.push(`comes without a link to ${quote(ref)}, whose identity another user has`);
        else links.push({ providerId, externalUserId, externalUsername });
      }
      return {
        links,
        groupIds: [...groupIds],
        grants: [...grants].map(([projectId, keys]) => ({ projectId, roleKeys: [...keys] })),
        problems,
      };
    },
  };
}

/** Names of objects: those of the files come before what the organization has, and what could mean two things means none. */
function createNames<T>(look: (tx: ReadTransaction, ref: string) => Promise<T | undefined>) {
  const known = new Map<string, T | undefined>();
  return {
    note(names: readonly string[], value: T): void {
      for (const name of new Set(names)) known.set(name, known.has(name) ? undefined : value);
    },
    async find(tx: ReadTransaction, ref: string): Promise<T | undefined> {
      if (!known.has(ref)) known.set(ref, await look(tx, ref));
      return known.get(ref);
    },
  };
}

function onlyOf(ids: readonly string[]): string | undefined {
  return ids.length === 1 ? ids[0] : undefined;
}

async function isLinked(
  tx: ReadTransaction,
  providerId: IdentityProviderId,
  externalUserId: string,
): Promise<boolean> {
  return (await findIdentityLink(tx, providerId, externalUserId)) !== undefined;
}
