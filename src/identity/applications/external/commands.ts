import type { Call } from "../../../kernel/base/call.ts";
import { changedDetails, createdDetails, type Details } from "../../../kernel/base/details.ts";
import type { ExternalClientsId, InstanceId } from "../../../kernel/base/ids.ts";
import { notFound } from "../../../kernel/base/problem.ts";
import { type FeatureContext, requireTarget, write } from "../../context.ts";
import { findProjectOwner } from "../../projects/repository.ts";
import {
  type ExternalClientSettings,
  externalClientsNotFound,
  noExternalClients,
  setExternalClients,
} from "./settings.ts";
import { findExternalClientSettings } from "./repository.ts";

/** The use cases of the settings for external clients. */
export interface ExternalClientCommands {
  /** `details` is undefined while nobody has set any. */
  getExternalClients(
    call: Call,
  ): Promise<ExternalClientSettings & { readonly details?: Details | undefined }>;
  /** Raises NOT_FOUND for a project that does not exist, and with `if-match` where nobody has set any. Harmless to repeat. */
  updateExternalClients(call: Call, settings: ExternalClientSettings): Promise<Details>;
}

/** Creates the commands of the settings for external clients. */
export function createExternalClientCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): ExternalClientCommands {
  return {
    getExternalClients: () =>
      context.database.read(async (tx) => (await findExternalClientSettings(tx)) ?? noExternalClients),
    updateExternalClients: (begun, settings) =>
      write(context, begun, async ({ tx, call, append }) => {
        const { projectId } = settings;
        const stored = await findExternalClientSettings(tx);
        if (stored !== undefined) requireTarget(call, stored);
        else if (call.requireMatch !== undefined) throw externalClientsNotFound();
        if (projectId !== "" && (await findProjectOwner(tx, projectId)) === undefined)
          throw notFound("project", projectId);
        const id = stored?.id ?? tx.nextId<ExternalClientsId>();
        const events = setExternalClients(stored, { id, resourceOwner: instanceId, settings });
        if (events.length === 0 && stored !== undefined) return stored.details;
        const date = await append(events);
        return stored === undefined ? createdDetails(date, instanceId) : changedDetails(stored.details, date);
      }),
  };
}
