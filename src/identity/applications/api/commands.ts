import type { Call } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import { change, type FeatureContext, write } from "../../context.ts";
import type { ApplicationName } from "../application/application.ts";
import { type AddedClient, addOAuthApplication } from "../oauth/commands.ts";
import { addApiApplication, type ApiSettings, changeApiSettings, requireApi } from "./api-application.ts";
import { getApiApplication } from "./repository.ts";

/** The use cases of API applications. Each raises NOT_FOUND. */
export interface ApiApplicationCommands {
  /** Also raises ALREADY_EXISTS for a name that is taken in the project. */
  createApi(
    call: Call,
    application: { readonly projectId: string; readonly name: string; readonly settings: ApiSettings },
  ): Promise<AddedClient>;
  /** Replaces all settings. Also raises WRONG_KIND. Harmless to repeat. */
  updateApi(call: Call, asked: ApplicationName, settings: ApiSettings): Promise<Details>;
}

/** Creates the commands of API applications. */
export function createApiApplicationCommands(context: FeatureContext): ApiApplicationCommands {
  return {
    createApi: (call, { projectId, name, settings }) =>
      write(context, call, (command) =>
        addOAuthApplication(context, command, {
          projectId,
          name,
          kind: "api",
          method: settings.authMethodType,
          decide: (id, project) => addApiApplication({ id, project, name, settings }),
        }),
      ),
    updateApi: (call, asked, settings) =>
      change(context, call, {
        load: ({ tx }) => getApiApplication(tx, call.access, asked),
        decide: (application) => changeApiSettings(requireApi(application), settings),
      }),
  };
}
