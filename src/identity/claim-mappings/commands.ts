import type { Call } from "../../kernel/base/call.ts";
import type { Details } from "../../kernel/base/details.ts";
import type { OrganizationId } from "../../kernel/base/ids.ts";
import { toId } from "../../kernel/base/ids.ts";
import { holdsOnOrganization, type Permission } from "../../kernel/base/permission.ts";
import { permissionDenied } from "../../kernel/base/problem.ts";
import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import { requireForApiAccess, requireForApiAccessIn } from "../api-access/api-access.ts";
import {
  type ApplicationName,
  isNotApplicationOf,
  requireCreated,
} from "../applications/application/application.ts";
import { getApplication } from "../applications/repository.ts";
import { change, type CommandTransaction, type FeatureContext } from "../context.ts";
import { getActiveOrganization, getOrganization } from "../organizations/repository.ts";
import { findUserById } from "../people/user/repository.ts";
import { requireUserInReach } from "../people/user/user.ts";
import { getProject } from "../projects/repository.ts";
import {
  areSameMappings,
  type ClaimMapping,
  type ClaimMappingKind,
  type ClaimSource,
  type ClaimTarget,
  claimTargets,
  replaceMappings,
  type StoredClaimMapping,
  toMappingPayload,
} from "./claim-mapping.ts";
import { chooseMappings, keepAuthorized, type MappedClaims, readMappedClaims } from "./read-mapped-claims.ts";
import { findJoinedMappings, findMappings } from "./repository.ts";
import { findSharedMetadata, type SharedMetadata } from "./sharing-repository.ts";
import { cannotReadSource, isNeedOfMappingMet } from "./source-permission.ts";

/** The mappings of an object, and where it stands. */
export interface ReadMappings {
  readonly details: Details;
  readonly mappings: readonly { readonly mapping: StoredClaimMapping; readonly isPaused: boolean }[];
}

/** What one place would tell. */
export type ClaimPreview = Pick<MappedClaims, "claims" | "leftOut"> & { readonly target: ClaimTarget };

/** The use cases of claim mappings. All raise NOT_FOUND for an object that does not exist or is out of the caller's reach. */
export interface ClaimMappingCommands {
  /** Replaces all mappings. Raises PERMISSION_DENIED, also for a source that the caller may not read. Harmless to repeat. */
  setOfProject(call: Call, projectId: string, mappings: readonly ClaimMapping[]): Promise<Details>;
  getOfProject(call: Call, projectId: string): Promise<ReadMappings>;
  /** Likewise. Raises WRONG_KIND for an API, and for a client that nobody has created. */
  setOfApplication(call: Call, asked: ApplicationName, mappings: readonly ClaimMapping[]): Promise<Details>;
  getOfApplication(call: Call, asked: ApplicationName): Promise<ReadMappings>;
  /** Raises PERMISSION_DENIED where the caller may not read a source. */
  preview(
    call: Call,
    asked: ApplicationName & { readonly userId: string; readonly scopes: readonly string[] },
  ): Promise<readonly ClaimPreview[]>;
  /** Replaces all that an organization shares. Raises NOT_FOUND for an organization that it is shared with. Harmless to repeat. */
  share(call: Call, organizationId: string, shared: readonly SharedMetadata[]): Promise<Details>;
  getShared(
    call: Call,
    organizationId: string,
  ): Promise<{ readonly details: Details; readonly shared: readonly SharedMetadata[] }>;
}

/** Creates the commands of claim mappings. */
export function createClaimMappingCommands(context: FeatureContext): ClaimMappingCommands {
  const { database } = context;
  return {
    setOfProject: (call, projectId, mappings) =>
      change(context, call, {
        load: ({ tx }) => getProject(tx, call.access, projectId),
        async decide(project, command) {
          const events = await decideSet(command, { kind: "project", ...project }, mappings);
          if (events.length > 0) await requireForApiAccessIn(command, { projectId: project.id });
          return events;
        },
      }),
    getOfProject: (call, projectId) =>
      database.read(async (tx) => {
        const { id, details } = await getProject(tx, call.access, projectId);
        return { details, mappings: await readMappings(tx, { kind: "project", id, details }) };
      }),
    setOfApplication: (call, asked, mappings) =>
      change(context, call, {
        load: ({ tx }) => getApplication(tx, call.access, asked),
        async decide(application, command) {
          requireCreated(application);
          const { id, details, kind } = application;
          if (kind === "api") throw isNotApplicationOf("one that users log in to", id);
          const events = await decideSet(command, { kind: "application", id, details }, mappings);
          if (events.length > 0 && kind === "oidc" && application.oidc.apiAccess)
            await requireForApiAccess(command);
          return events;
        },
      }),
    getOfApplication: (call, asked) =>
      database.read(async (tx) => {
        const { id, details } = await getApplication(tx, call.access, asked);
        return { details, mappings: await readMappings(tx, { kind: "application", id, details }) };
      }),
    preview: (call, asked) => database.read((tx) => preview(tx, call, asked)),
    share: (begun, organizationId, shared) =>
      change(context, begun, {
        load: ({ tx }) => getOrganization(tx, organizationId),
        decide: ({ id }, { tx }) => decideShare(tx, id, shared),
      }),
    getShared: (_call, organizationId) =>
      database.read(async (tx) => {
        const { id, details } = await getOrganization(tx, organizationId);
        return { details, shared: await findSharedMetadata(tx, id) };
      }),
  };
}

async function decideShare(
  tx: ReadTransaction,
  id: OrganizationId,
  shared: readonly SharedMetadata[],
): Promise<readonly NewEvent[]> {
  if (JSON.stringify(await findSharedMetadata(tx, id)) === JSON.stringify(shared)) return [];
  for (const other of new Set(shared.flatMap(({ sharedWith }) => sharedWith)))
    await getActiveOrganization(tx, other);
  const payload = { shared: shared.map(({ key, sharedWith }) => ({ key, shared_with: sharedWith })) };
  return [{ type: "organization.metadata.shared", aggregateId: id, resourceOwner: id, payload }];
}

interface MappedObject {
  readonly kind: ClaimMappingKind;
  readonly id: string;
  readonly details: Details;
}

async function decideSet(
  { tx, call }: CommandTransaction,
  { kind, id, details }: MappedObject,
  wanted: readonly ClaimMapping[],
): Promise<readonly NewEvent[]> {
  const stored = await findMappings(tx, kind, id);
  const ownerId = toId<OrganizationId>(details.resourceOwner);
  const { next, changed } = replaceMappings(stored, wanted, call.caller.userId);
  for (const mapping of changed)
    if (!isNeedOfMappingMet(mapping, call.caller.held, ownerId)) throw cannotReadSource(mapping, ownerId);
  if (areSameMappings(stored, next)) return [];
  const about = {
    aggregateId: id,
    resourceOwner: ownerId,
    payload: { mappings: next.map(toMappingPayload) },
  };
  return [
    kind === "project"
      ? { type: "project.claims.set", ...about }
      : { type: "application.claims.set", ...about },
  ];
}

async function readMappings(
  tx: ReadTransaction,
  { kind, id, details }: MappedObject,
): Promise<ReadMappings["mappings"]> {
  const stored = await findMappings(tx, kind, id);
  const telling = new Set(await keepAuthorized(tx, stored, details.resourceOwner));
  return stored.map((mapping) => ({ mapping, isPaused: !telling.has(mapping) }));
}

/** What a caller needs, in the organization that owns the project, to see what a source says. */
const readingOf: Readonly<Partial<Record<ClaimSource, Permission>>> = {
  ORGANIZATION_METADATA: "organization.read",
  ROLES: "user.grant.read",
  GROUPS: "group.read",
};

async function preview(
  tx: ReadTransaction,
  call: Call,
  asked: ApplicationName & { readonly userId: string; readonly scopes: readonly string[] },
): Promise<readonly ClaimPreview[]> {
  const application = await getApplication(tx, call.access, asked);
  const { held } = call.caller;
  const user = await findUserById(tx, asked.userId);
  const home = user && toId<OrganizationId>(user.details.resourceOwner);
  const userId = requireUserInReach(held, { userId: asked.userId, organizationId: undefined, home });
  const { projectId, id: applicationId } = application;
  const ownerId = call.access.organizationId;
  const isTold = application.external === undefined;
  const mappings = isTold ? await findJoinedMappings(tx, { projectId, applicationId }) : [];
  for (const { source } of mappings) {
    const permission = readingOf[source];
    if (permission !== undefined && !holdsOnOrganization(held, permission, ownerId))
      throw permissionDenied(permission, ownerId);
  }
  const previews: ClaimPreview[] = [];
  for (const target of claimTargets) {
    const chosen = chooseMappings(mappings, target, (scope) => asked.scopes.includes(scope));
    const { claims, leftOut } = await readMappedClaims(tx, {
      mappings: chosen,
      userId,
      projectId,
      ownerId,
      roleKeys: [],
    });
    previews.push({ target, claims, leftOut });
  }
  return previews;
}
