import { findDirectorySecret } from "../../../identity/directories/directory-secret.ts";
import {
  type DirectoryProvider,
  type DirectoryTry,
  tryDirectoryPassword,
} from "../../../identity/directories/check-password.ts";
import { readDirectoryGroups, toGroupIds } from "../../../identity/directories/member-changes.ts";
import type { DirectoryPerson } from "../../../identity/directories/person.ts";
import type { DirectoryServers } from "../../../identity/directories/servers.ts";
import { DirectoryError } from "../../../kernel/base/directory/directory-error.ts";
import { readKnownBrowserCookie } from "../../login/cookies/known-browser-cookies.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";
import type { DirectoryLogin, LeavingBrowser } from "../../login/provider-logins.ts";
import { toSaid } from "../provider/identity.ts";
import type { FederationPorts } from "../provider/ports.ts";
import { ProviderFailure, withFailurePages } from "../provider/provider-failure.ts";

/** What logins at directories work with. */
export interface DirectoryLoginPorts extends FederationPorts {
  readonly servers: DirectoryServers;
}

/** Of a login. The page of a directory that does not answer comes within five seconds. */
const limits = { timeoutMs: 4_500, maxBytes: 1_048_576 } as const;

/** Tries a name and a password at a directory. */
export async function tryDirectory(
  ports: DirectoryLoginPorts,
  browser: LeavingBrowser,
  provider: DirectoryProvider,
  typed: { readonly name: string; readonly password: string },
): Promise<DirectoryLogin> {
  const { context, logger, waitingLimit, servers } = ports;
  const { exchange, issuer } = browser;
  const { requestId, remoteAddress } = exchange;
  const about = { logger, providerId: provider.id, requestId };
  return await withFailurePages(about, async () => {
    const waiting = { organizationId: provider.details.resourceOwner, remoteAddress };
    const { bindPassword, groups } = await context.database.read(async (tx) => ({
      bindPassword: await findDirectorySecret(context, tx, provider.config),
      groups: await readDirectoryGroups(tx, provider.id),
    }));
    const directory = { config: provider.config, bindPassword, limits };
    const browserHash = readKnownBrowserCookie(exchange, issuer);
    const tried = await waitingLimit.run(waiting, () =>
      orFail(() =>
        tryDirectoryPassword(
          { ...context, servers },
          { provider, directory, ...typed, remoteAddress, browserHash },
        ),
      ),
    );
    if (tried.kind === "wrong")
      logger.debug({ ...toFields(about), detail: tried.detail }, "provider_login.denied");
    if (tried.kind === "wrong" && tried.detail === "several")
      logger.warn({ ...toFields(about), detail: "several entries have the name" }, "provider_login.refused");
    if (tried.kind !== "right") return tried;
    const { person, settle } = tried;
    const groupIds = toGroupIds(groups, person.groupDns);
    const identity = toDirectoryIdentity(provider, person, context.clock.nowMs());
    const known = groupIds === undefined ? {} : { groupIds };
    return { kind: "right", identity: { ...identity, ...known }, settle };
  });
}

/** The entry was let in at this moment: the password was typed for this login. */
function toDirectoryIdentity(
  { id: providerId, config }: DirectoryProvider,
  person: DirectoryPerson,
  nowMs: number,
): ExternalIdentity {
  const { subject, username, email, givenName, familyName, displayName, preferredLanguage } = person;
  const names = {
    username,
    email,
    given_name: givenName,
    family_name: familyName,
    display_name: displayName,
  };
  const said = { ...names, preferred_language: preferredLanguage, groups: person.groupDns };
  return {
    providerId,
    issuer: config.issuer,
    subject,
    authTimeMs: nowMs,
    said: toSaid(said),
    claims: {
      preferredUsername: username,
      email,
      emailVerified: config.trustMail && email !== undefined,
      name: displayName,
      givenName,
      familyName,
      locale: preferredLanguage,
    },
  };
}

async function orFail(work: () => Promise<DirectoryTry>): Promise<DirectoryTry> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DirectoryError)) throw error;
    throw new ProviderFailure("unavailable", error.message);
  }
}

function toFields({ providerId, requestId }: { readonly providerId: string; readonly requestId: string }) {
  return { identity_provider_id: providerId, request_id: requestId };
}
