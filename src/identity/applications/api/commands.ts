import type { Call } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import type { ProjectId } from "../../../kernel/base/ids.ts";
import { requireOnInstance } from "../../api-access/api-access.ts";
import {
  change,
  type CommandTransaction,
  type FeatureContext,
  read,
  requireTarget,
  write,
} from "../../context.ts";
import { getProject } from "../../projects/repository.ts";
import { toRoleSet } from "../../projects/role.ts";
import { listRoleKeys } from "../../projects/role-repository.ts";
import type { ApplicationName } from "../application/application.ts";
import { tooManyFetches } from "../application/fetch-room.ts";
import { type AddedClient, addOAuthApplication } from "../oauth/commands.ts";
import {
  addApiApplication,
  type ApiApplication,
  type ApiSettings,
  changeApiSettings,
  isVerifiedFor,
  requireApi,
  type StoredApiSettings,
} from "./api-application.ts";
import { needsVouching, resourceTaken } from "./api-resource.ts";
import { getApiApplication, isResourceTaken } from "./repository.ts";
import type { ResourceSource } from "./resource-source.ts";

/** The settings that a caller asks for, and whether the caller vouches for the resource. */
export interface AskedApiSettings extends ApiSettings {
  readonly isResourceVerified: boolean;
}

/**
 * The use cases of API applications. Each raises NOT_FOUND, also for a role that the project does not have, ALREADY_EXISTS for a
 * resource that another API has, PERMISSION_DENIED for a caller who may not vouch for it, and RATE_LIMITED.
 */
export interface ApiApplicationCommands {
  /** Also raises ALREADY_EXISTS for a name that is taken in the project. */
  createApi(
    call: Call,
    application: { readonly projectId: string; readonly name: string; readonly settings: AskedApiSettings },
  ): Promise<AddedClient>;
  /** Replaces all settings. Also raises WRONG_KIND. Harmless to repeat. */
  updateApi(call: Call, asked: ApplicationName, settings: AskedApiSettings): Promise<Details>;
}

/** Creates the commands of API applications. A fetch ends before the write begins. */
export function createApiApplicationCommands(
  context: FeatureContext,
  source: ResourceSource,
): ApiApplicationCommands {
  return {
    async createApi(call, { projectId, name, settings }) {
      await read(context, call, (tx) => getProject(tx, call.access, projectId));
      const isNamed = await isNamedBy(context, source, { call, settings, application: undefined });
      return await write(context, call, async (command) => {
        const project = await getProject(command.tx, call.access, projectId);
        const found = { settings, isNamed, projectId: project.id, application: undefined };
        const stored = await toStored(command, found);
        return await addOAuthApplication(context, command, {
          projectId,
          name,
          kind: "api",
          method: settings.authMethodType,
          decide: (id, of) => addApiApplication({ id, project: of, name, settings: stored }),
        });
      });
    },
    async updateApi(call, asked, settings) {
      const before = await read(context, call, async (tx) =>
        requireApi(requireTarget(call, await getApiApplication(tx, call.access, asked))),
      );
      const isNamed = await isNamedBy(context, source, { call, settings, application: before });
      return await change(context, call, {
        load: ({ tx }) => getApiApplication(tx, call.access, asked),
        async decide(found, command) {
          const application = requireApi(found);
          const { projectId } = application;
          return changeApiSettings(
            application,
            await toStored(command, { settings, isNamed, projectId, application }),
          );
        },
      });
    },
  };
}

/** Asks the resource, unless it does not matter what it says. A transaction of several calls cannot wait for other servers. */
async function isNamedBy(
  { clock }: FeatureContext,
  source: ResourceSource,
  {
    call,
    settings: { resource, isResourceVerified },
    application,
  }: {
    readonly call: Call;
    readonly settings: AskedApiSettings;
    readonly application: ApiApplication | undefined;
  },
): Promise<boolean> {
  if (!needsVouching(resource) || isResourceVerified || isVerifiedFor(application, resource)) return false;
  if (call.unit?.read !== undefined) return false;
  const { deadlineMs, signal } = call;
  const timeoutMs = deadlineMs === undefined ? undefined : deadlineMs - clock.nowMs();
  const asked = { organizationId: call.access.organizationId, resource, timeoutMs, signal };
  const answer = await source.namesIssuer(asked).catch((error: unknown) => {
    if (signal?.aborted !== true) throw error;
    return false; // the write refuses what comes too late
  });
  if (answer === "busy") throw tooManyFetches();
  return answer;
}

/** Decides whether tokens are given for the resource from now on. */
async function toStored(
  command: CommandTransaction,
  {
    settings: { isResourceVerified, ...settings },
    isNamed,
    projectId,
    application,
  }: {
    readonly settings: AskedApiSettings;
    readonly isNamed: boolean;
    readonly projectId: ProjectId;
    readonly application: ApiApplication | undefined;
  },
): Promise<StoredApiSettings> {
  const { tx } = command;
  const keys = [...new Set(settings.scopes.flatMap(({ roleKeys }) => roleKeys))];
  const known = await listRoleKeys(tx, projectId, keys);
  const scopes = settings.scopes.map((scope) => ({ ...scope, roleKeys: toRoleSet(scope.roleKeys, known) }));
  const { resource } = settings;
  if (resource === "") return { ...settings, scopes, resourceState: undefined };
  const wasVerified = isVerifiedFor(application, resource);
  const vouches = isResourceVerified && needsVouching(resource) && !wasVerified;
  if (vouches)
    await requireOnInstance(command, "resource_verified takes the place of the metadata of the resource");
  const isVerified = wasVerified || vouches || isNamed || !needsVouching(resource);
  if (isVerified && (await isResourceTaken(tx, resource, application?.id))) throw resourceTaken(resource);
  return { ...settings, scopes, resourceState: isVerified ? "VERIFIED" : "PENDING" };
}
