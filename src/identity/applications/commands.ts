import type { Call } from "../../kernel/base/call.ts";
import type { Details } from "../../kernel/base/details.ts";
import type { PageRequest } from "../../kernel/base/paging.ts";
import { requireForApiAccess } from "../api-access/api-access.ts";
import { change, type CommandTransaction, type Decide, type FeatureContext } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import type { ListedPage } from "../list.ts";
import { getProject } from "../projects/repository.ts";
import { type ApiApplicationCommands, createApiApplicationCommands } from "./api/commands.ts";
import { noResourceSource, type ResourceSource } from "./api/resource-source.ts";
import type { Application } from "./application.ts";
import {
  type ApplicationName,
  applicationNameTaken,
  deactivateApplication,
  reactivateApplication,
  removeApplication,
  renameApplication,
} from "./application/application.ts";
import { isApplicationNameTaken } from "./application/repository.ts";
import { type ApplicationKeyCommands, createApplicationKeyCommands } from "./keys/commands.ts";
import { type ClientSecretCommands, createClientSecretCommands } from "./oauth/commands.ts";
import { createOidcApplicationCommands, type OidcApplicationCommands } from "./oidc/commands.ts";
import { type ApplicationFilter, applicationList, getApplication } from "./repository.ts";
import { createSamlCommands, type SamlCommands } from "./saml/commands.ts";
import type { MetadataSource } from "./saml/metadata-source.ts";
import { readFound } from "../search/read-found.ts";
import type { SearchFilter } from "../search/searched.ts";
import { searchedApplications } from "./search-repository.ts";

/**
 * Each raises NOT_FOUND for a project that does not exist or is out of the caller's reach, and for an application
 * that is not in it.
 */
export interface ApplicationCommands
  extends SamlCommands,
    OidcApplicationCommands,
    ApiApplicationCommands,
    ClientSecretCommands,
    ApplicationKeyCommands {
  get(call: Call, asked: ApplicationName): Promise<Application>;
  /** The documents are left out. Raises PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    filter: ApplicationFilter & SearchFilter & { readonly projectId: string },
    page: PageRequest,
  ): Promise<ListedPage<Application>>;
  /**
   * Raises ALREADY_EXISTS for a name that is taken in the project, and PERMISSION_DENIED (api_access): pages that ask users whether they
   * want an application show its name. Harmless to repeat.
   */
  rename(call: Call, asked: ApplicationName, name: string): Promise<Details>;
  /** Harmless to repeat. */
  deactivate(call: Call, asked: ApplicationName): Promise<Details>;
  /** Raises PERMISSION_DENIED (api_access). Harmless to repeat. */
  reactivate(call: Call, asked: ApplicationName): Promise<Details>;
  remove(call: Call, asked: ApplicationName): Promise<Removal>;
}

/** Creates the commands of applications of every kind. */
export function createApplicationCommands(
  context: FeatureContext,
  source: MetadataSource,
  resources: ResourceSource = noResourceSource,
): ApplicationCommands {
  const changeApplication = (call: Call, asked: ApplicationName, decide: Decide<Application>) =>
    change(context, call, { load: ({ tx }) => getApplication(tx, call.access, asked), decide });
  const requireTrusted = async (application: Application, command: CommandTransaction) => {
    if (application.kind === "oidc" && application.oidc.apiAccess) await requireForApiAccess(command);
  };
  return {
    ...createSamlCommands(context, source),
    ...createOidcApplicationCommands(context),
    ...createApiApplicationCommands(context, resources),
    ...createClientSecretCommands(context),
    ...createApplicationKeyCommands(context),
    get: (call, asked) => context.database.read((tx) => getApplication(tx, call.access, asked)),
    list: (call, filter, page) =>
      context.database.read(async (tx) => {
        const { id } = await getProject(tx, call.access, filter.projectId);
        const asked = { of: id, filter: { name: filter.name, state: filter.state } };
        return await readFound(context, tx, {
          list: applicationList,
          call,
          asked,
          among: (ids) => ({ ...asked, open: new Set(ids) }),
          text: filter.search,
          searched: searchedApplications,
          ownerId: id,
          nameOf: (application) => application.name,
          page,
        });
      }),
    rename: (call, asked, name) =>
      changeApplication(call, asked, async (application, command) => {
        const events = renameApplication(application, name);
        if (events.length === 0) return events;
        await requireTrusted(application, command);
        const { projectId } = application;
        if (await isApplicationNameTaken(command.tx, projectId, name, application))
          throw applicationNameTaken(name);
        return events;
      }),
    deactivate: (call, asked) => changeApplication(call, asked, deactivateApplication),
    reactivate: (call, asked) =>
      changeApplication(call, asked, async (application, command) => {
        const events = reactivateApplication(application);
        if (events.length > 0) await requireTrusted(application, command);
        return events;
      }),
    remove: (call, asked) =>
      remove(context, call, {
        load: ({ tx }) => getApplication(tx, call.access, asked),
        decide: removeApplication,
      }),
  };
}
