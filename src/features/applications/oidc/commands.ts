import type { Call } from "../../../base/call.ts";
import type { ReadTransaction } from "../../../base/database.ts";
import type { Details } from "../../../base/details.ts";
import { holdsOnInstance } from "../../../base/permission.ts";
import { permissionDenied } from "../../../base/problem.ts";
import { change, type FeatureContext, write } from "../../context.ts";
import { findInstanceId } from "../../instance/repository.ts";
import type { ApplicationName } from "../application/application.ts";
import { type AddedClient, addOAuthApplication } from "../oauth/commands.ts";
import {
  addOidcApplication,
  changeOidcSettings,
  type OidcSettings,
  requireOidc,
} from "./oidc-application.ts";
import { getOidcApplication } from "./repository.ts";

/** The use cases of OIDC applications. Each raises NOT_FOUND, and PERMISSION_DENIED when only the instance may set api_access. */
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
        await requireMaySetApiAccess(command.tx, command.call, { before: false, after: settings.apiAccess });
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
          const apiAccess = { before: application.oidc.apiAccess, after: settings.apiAccess };
          await requireMaySetApiAccess(command.tx, command.call, apiAccess);
          return changeOidcSettings(application, settings);
        },
      }),
  };
}

/**
 * An application with access to our API can do whatever its users may do. So its owner alone must not decide it: an administrator of
 * the instance who follows a link to the application would hand over the instance.
 */
async function requireMaySetApiAccess(
  tx: ReadTransaction,
  { caller }: Call,
  apiAccess: { readonly before: boolean; readonly after: boolean },
): Promise<void> {
  if (apiAccess.before === apiAccess.after || holdsOnInstance(caller.held, "project.app.write")) return;
  throw permissionDenied(
    "project.app.write",
    await findInstanceId(tx),
    "api_access may be changed only with the permission project.app.write for the whole instance",
  );
}
