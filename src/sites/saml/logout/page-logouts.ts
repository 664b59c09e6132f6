import type { FeatureContext } from "../../../identity/context.ts";
import { listNamesOfSessions } from "../../../identity/logins/saml-participations/repository.ts";
import type { BrowserLogouts } from "../../login/standalone/browser-logouts.ts";
import { toCookieHeader } from "../../login/cookies/cookies.ts";
import { listMembers } from "./list-members.ts";
import { createLogout, logoutCookie, storeLogout } from "./logout-store.ts";

/**
 * Creates the logouts that begin at pages of ours (SAML Profiles §4.4.3.1). `path`: that of the endpoint of logouts. The metadata of the
 * applications is read only when the browser comes there.
 */
export function createPageLogouts(
  context: Pick<FeatureContext, "clock" | "random" | "keyring">,
  endpointPath: string,
): BrowserLogouts {
  return {
    async begin(tx, { session, issuer, makePath }) {
      const participations = await listNamesOfSessions(tx, [session.id]);
      const { members, isPartial } = listMembers(context.keyring, participations);
      if (members.length === 0) return undefined;
      const asker = { kind: "page", path: await makePath() } as const;
      const chain = { asker, unproved: undefined, waiting: members, asked: undefined, isPartial, visits: 0 };
      const { logout, cookie } = createLogout(context, tx, { userId: session.userId, chain });
      await storeLogout(tx, context.keyring, logout);
      return {
        location: `${issuer}${endpointPath}/${logout.id}`,
        cookie: toCookieHeader(logoutCookie(issuer), cookie, undefined),
      };
    },
  };
}
