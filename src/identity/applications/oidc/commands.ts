import type { Call } from "../../../kernel/base/call.ts";
import type { Details } from "../../../kernel/base/details.ts";
import { requireForApiAccess, requireOnInstance } from "../../api-access/api-access.ts";
import { change, type CommandTransaction, type FeatureContext, write } from "../../context.ts";
import type { ApplicationName } from "../application/application.ts";
import { type AddedClient, addOAuthApplication } from "../oauth/commands.ts";
import {
  addOidcApplication,
  changeOidcSettings,
  concernsApiAccess,
  type OidcSettings,
  requireOidc,
} from "./oidc-application.ts";
import { getOidcApplication } from "./repository.ts";

/** The use cases of OIDC applications. Each raises NOT_FOUND, and PERMISSION_DENIED where api_access (`concernsApiAccess`) or the subject is concerned. */
export interface OidcApplicationCommands {
  /** Also raises ALREADY_EXISTS for a name that is taken in the project. */
  createOidc(
    call: Call,
    application: { readonly projectId: string; readonly name: string; readonly settings: OidcSettings },
  ): Promise<AddedClient>;
  /** Replaces all settings. Also raises WRONG_KIND. Harmless to repeat. */
  updateOidc(call: Call, asked: ApplicationName, settings: OidcSettings): Promise<Details>;
}

/** Creates the commands of OIDC applications. */
export function createOidcApplicationCommands(context: FeatureContext): OidcApplicationCommands {
  return {
    createOidc: (call, { projectId, name, settings }) =>
      write(context, call, async (command) => {
        if (settings.apiAccess) await requireForApiAccess(command);
        if (settings.subject !== "ID") await requireForSubject(command);
        return await addOAuthApplication(context, command, {
          projectId,
          name,
          kind: "oidc",
          method: settings.authMethodType,
          decide: (id, project) => addOidcApplication({ id, project, name, settings }),
        });
      }),
    updateOidc: (call, asked, settings) =>
      change(context, call, {
        load: ({ tx }) => getOidcApplication(tx, call.access, asked),
        async decide(found, command) {
          const application = requireOidc(found);
          if (concernsApiAccess(application.oidc, settings)) await requireForApiAccess(command);
          if (settings.subject !== application.oidc.subject) await requireForSubject(command);
          return changeOidcSettings(application, settings);
        },
      }),
  };
}

/** An application that finds its users by `sub` would take one user for another if its owner alone decided what that is. */
async function requireForSubject(command: Pick<CommandTransaction, "tx" | "call">): Promise<void> {
  await requireOnInstance(command, "the subject names users to the application");
}
