import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { changedDetails, type Details } from "../../base/details.ts";
import { type Page, type PageRequest, readPage } from "../../base/paging.ts";
import type { NewEvent } from "../../events/event.ts";
import { processedSequence } from "../../events/processed-sequence.ts";
import { type FeatureContext, requireTarget, write } from "../context.ts";
import { getProject } from "../projects/repository.ts";
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
import { type ApplicationFilter, countApplications, getApplication, listApplications } from "./repository.ts";
import { createSamlCommands, type SamlCommands } from "./saml/commands.ts";
import type { MetadataSource } from "./saml/metadata-source.ts";

/**
 * Each raises NOT_FOUND for a project that does not exist or is out of the caller's reach, and for an application
 * that is not in it.
 */
export interface ApplicationCommands extends SamlCommands {
  get(call: Call, asked: ApplicationName): Promise<Application>;
  /** The documents are left out. Raises PAGE_TOKEN_INVALID. */
  list(
    call: Call,
    filter: Pick<ApplicationFilter, "name" | "state"> & { readonly projectId: string },
    page: PageRequest,
  ): Promise<{ readonly page: Page<Application>; readonly sequence: number }>;
  /** Raises ALREADY_EXISTS for a name that is taken in the project. Harmless to repeat. */
  rename(call: Call, asked: ApplicationName, name: string): Promise<Details>;
  /** Harmless to repeat. */
  deactivate(call: Call, asked: ApplicationName): Promise<Details>;
  /** Harmless to repeat. */
  reactivate(call: Call, asked: ApplicationName): Promise<Details>;
  remove(call: Call, asked: ApplicationName): Promise<Details>;
}

/** Creates the commands of applications of every kind. */
export function createApplicationCommands(
  context: FeatureContext,
  source: MetadataSource,
): ApplicationCommands {
  const change = (
    call: Call,
    asked: ApplicationName,
    decide: (application: Application, tx: ReadTransaction) => Promise<readonly NewEvent[]>,
  ): Promise<Details> =>
    write(context, call, async ({ tx, append }) => {
      const application = requireTarget(call, await getApplication(tx, call.access, asked));
      const events = await decide(application, tx);
      if (events.length === 0) return application.details;
      return changedDetails(application.details, await append(events));
    });
  return {
    ...createSamlCommands(context, source),
    get: (call, asked) => context.database.read((tx) => getApplication(tx, call.access, asked)),
    list: (call, filter, page) => list(context, { call, filter, page }),
    rename: (call, asked, name) =>
      change(call, asked, async (application, tx) => {
        const events = renameApplication(application, name);
        const { projectId, id } = application;
        if (events.length > 0 && (await isApplicationNameTaken(tx, projectId, name, id)))
          throw applicationNameTaken(name);
        return events;
      }),
    deactivate: (call, asked) => change(call, asked, async (found) => deactivateApplication(found)),
    reactivate: (call, asked) => change(call, asked, async (found) => reactivateApplication(found)),
    remove: (call, asked) => change(call, asked, async (found) => removeApplication(found)),
  };
}

function list(
  context: FeatureContext,
  input: {
    readonly call: Call;
    readonly filter: Parameters<ApplicationCommands["list"]>[1];
    readonly page: PageRequest;
  },
): ReturnType<ApplicationCommands["list"]> {
  const { access } = input.call;
  const { projectId, name, state } = input.filter;
  return context.database.read(async (tx) => {
    const project = await getProject(tx, access, projectId);
    const filter = { projectId: project.id, name, state };
    return {
      sequence: await processedSequence(tx),
      page: await readPage(context.keyring, input.page, {
        key: ["ListApplications", access.organizationId, project.id, name, state ?? ""],
        read: (query) => listApplications(tx, filter, query),
        count: (limit) => countApplications(tx, filter, limit),
      }),
    };
  });
}
