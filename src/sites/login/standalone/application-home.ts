import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { consoleHomeOf, isConsole } from "../../../identity/applications/oidc/console.ts";
import { findLoginApplication } from "./login-application.ts";

/**
 * Finds where a browser goes that comes back to an application without an answer: the first address that is registered for browsers
 * that were logged out. Undefined if there is none, or no such application that users can log in to.
 */
export async function findApplicationHome(
  tx: ReadTransaction,
  clientId: string,
  issuer: string,
): Promise<string | undefined> {
  if (isConsole(clientId)) return consoleHomeOf(issuer);
  const application = (await findLoginApplication(tx, clientId))?.application;
  return application?.kind === "oidc" ? application.oidc.postLogoutRedirectUris[0] : undefined;
}
