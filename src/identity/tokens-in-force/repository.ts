import type { TokenExchange } from "../../kernel/base/call.ts";
import { type ReadTransaction, toInList } from "../../kernel/base/database.ts";
import type { TokenId } from "../../kernel/base/ids.ts";
import type { OidcApplicationPayload } from "../../kernel/events/application-payloads.ts";
import type { StoredAccessToken } from "../logins/access-tokens/access-token.ts";
import { findAccessToken, isAnyRevoked } from "../logins/access-tokens/repository.ts";
import { toSettingsPayload } from "../applications/oauth/repository.ts";
import { isConsole } from "../applications/oidc/console.ts";
import { type OidcSettings, toOidcSettings } from "../applications/oidc/oidc-application.ts";
import { algorithmsOf } from "../applications/oidc/security-profile.ts";
import type { Authorization } from "../logins/authorizations/authorization.ts";
import { findAuthorization } from "../logins/authorizations/repository.ts";
import { isConnected } from "../user-grants/effective-role-repository.ts";
import { findUserIdByImportedId } from "../people/user/imported-id-repository.ts";
import { findToken } from "../programs/tokens/repository.ts";
import {
  type BasisInForce,
  isAuthorizationInForce,
  isUserInForce,
  type CheckedToken,
  type TokenInForce,
  type TokenUser,
} from "./token-in-force.ts";

/**
 * Finds an access token that holds at that moment, and what it rests on: by the hash of an opaque token, or by what a JWT says that
 * we have signed. Undefined for one that is unknown, expired or revoked, whose key, secret or authorization has ended, one of whose
 * applications is not ACTIVE, whose user was locked since, or whose user or organization is not ACTIVE. All that take access tokens
 * ask here. Does not check the audience of the token.
 */
export async function findAccessTokenInForce(
  tx: ReadTransaction,
  presented: { readonly hash: string } | StoredAccessToken,
  nowMs: number,
): Promise<TokenInForce | undefined> {
  const token = "basis" in presented ? presented : await findAccessToken(tx, presented.hash);
  if (token === undefined) return undefined;
  const found = await findBasisInForce(tx, token, nowMs);
  if (found !== undefined) return { ...found, token };
  const named = "basis" in presented ? await withUserId(tx, presented) : token;
  if (named === token) return undefined;
  const foundNamed = await findBasisInForce(tx, named, nowMs);
  return foundNamed && { ...foundNamed, token: named };
}

/**
 * Returns the content of a JWT with the id of its user, which names that user to its client by the imported id if the application says so;
 * no imported id is the id of another user. The token itself if it has the id already, or names nobody.
 */
export async function withUserId(tx: ReadTransaction, token: StoredAccessToken): Promise<StoredAccessToken> {
  const isOfLogin = token.basis.kind === "authorization";
  const userId = isOfLogin ? await findUserIdByImportedId(tx, token.userId) : undefined;
  return userId === undefined ? token : { ...token, userId };
}

/** Checks an access token whose content is known. Undefined for one that does not hold, as `findAccessTokenInForce` says. */
export async function findBasisInForce(
  tx: ReadTransaction,
  token: CheckedToken,
  nowMs: number,
): Promise<BasisInForce | undefined> {
  const { basis, exchanges } = token;
  const hashes = [token.hash, ...exchanges.map(({ subjectHash }) => subjectHash)];
  if (token.expirationMs <= nowMs || (await isAnyRevoked(tx, hashes))) return undefined;
  const exchanging = await listExchangingClients(tx, exchanges);
  if (exchanging === undefined) return undefined;
  if (basis.kind === "credential") {
    const found = await findCredentialInForce(tx, token, basis.credentialId, nowMs);
    return found && { ...found, ...toRights(exchanging) };
  }
  const authorization = await findAuthorization(tx, basis.authorizationId);
  if (authorization === undefined || !isAuthorizationInForce(authorization, token, basis.generation))
    return undefined;
  const user = await findUserOf(tx, authorization);
  if (user === undefined || !isUserInForce(token, user)) return undefined;
  if (!(await needsNoConsent(tx, authorization, user))) return undefined;
  return { user, credential: undefined, authorization, ...toRights([user.client, ...exchanging]) };
}

/** The settings of an application as they are stored. */
interface ClientRow {
  readonly settings: string;
}

/** The project of an application, and the organization that owns it. */
interface TokenPlace {
  readonly projectId: string;
  readonly ownerId: string;
}

/** An application that a token went through. The console is not stored. */
type TokenClient = ClientRow | "console";

/** What the applications that a token went through decide together; settings are read only when one of them is asked. */
function toRights(clients: readonly TokenClient[]): Pick<BasisInForce, "mayCallApi" | "takesProofBy"> {
  const all = (isSo: (settings: OidcSettings) => boolean): boolean =>
    clients.every(
      (client) =>
        client === "console" || isSo(toOidcSettings(toSettingsPayload<OidcApplicationPayload>(client))),
    );
  return {
    mayCallApi: () => all(({ apiAccess }) => apiAccess),
    takesProofBy: (algorithm) => all((settings) => algorithmsOf(settings).includes(algorithm)),
  };
}

/** Lists the applications that have exchanged a token; undefined unless each is ACTIVE, with its project and organization. */
async function listExchangingClients(
  tx: ReadTransaction,
  exchanges: readonly TokenExchange[],
): Promise<readonly ClientRow[] | undefined> {
  const ids = [...new Set(exchanges.map(({ clientId }) => clientId))];
  if (ids.length === 0) return [];
  const { sql, parameters } = toInList(ids);
  const rows = await tx.all<ClientRow>(
    `SELECT a.settings FROM applications a JOIN projects p ON p.id = a.project_id
       JOIN organizations o ON o.id = p.resource_owner
     WHERE a.id IN ${sql} AND a.kind = 'oidc'
       AND a.state = 'ACTIVE' AND p.state = 'ACTIVE' AND o.state = 'ACTIVE'`,
    parameters,
  );
  return rows.length === ids.length ? rows : undefined;
}

/**
 * Says whether nobody had to be asked for an authorization of which it is not known why nobody was. A process of a release that did
 * not record it may have made it, also after the newer one had looked at all that there were.
 */
async function needsNoConsent(
  tx: ReadTransaction,
  { userId, consent }: Authorization,
  { organizationId: homeId, place }: TokenUser & { readonly place: TokenPlace | undefined },
): Promise<boolean> {
  if (consent !== undefined || place === undefined || place.ownerId === homeId) return true;
  return await isConnected(tx, { userId, homeId, projectId: place.projectId });
}

async function findCredentialInForce(
  tx: ReadTransaction,
  token: CheckedToken,
  id: TokenId,
  nowMs: number,
): Promise<Omit<BasisInForce, "mayCallApi" | "takesProofBy"> | undefined> {
  const credential = await findToken(tx, id);
  if (credential === undefined || (credential.expirationMs ?? Infinity) <= nowMs) return undefined;
  const user = { ...credential, id: credential.userId };
  return isUserInForce(token, user) ? { user, credential, authorization: undefined } : undefined;
}

/** Finds the user of an authorization, unless its application, its project or its organization is not ACTIVE. */
async function findUserOf(
  tx: ReadTransaction,
  { userId, applicationId }: Authorization,
): Promise<
  (TokenUser & { readonly client: TokenClient; readonly place: TokenPlace | undefined }) | undefined
> {
  if (isConsole(applicationId)) {
    const row = await tx.get<TokenUser>(
      `SELECT ${userColumns} FROM users u JOIN organizations o ON o.id = u.resource_owner WHERE u.id = ?`,
      [userId],
    );
    return row && { ...row, client: "console", place: undefined };
  }
  const row = await tx.get<TokenUser & ClientRow & TokenPlace>(
    `SELECT ${userColumns}, a.settings, p.id AS "projectId", owner.id AS "ownerId"
     FROM users u JOIN organizations o ON o.id = u.resource_owner
       JOIN applications a ON a.id = ? JOIN projects p ON p.id = a.project_id
       JOIN organizations owner ON owner.id = p.resource_owner
     WHERE u.id = ? AND a.kind = 'oidc' AND a.state = 'ACTIVE' AND p.state = 'ACTIVE' AND owner.state = 'ACTIVE'`,
    [applicationId, userId],
  );
  return row && { ...row, client: row, place: row };
}

const userColumns = `u.id, u.resource_owner AS "organizationId", u.username, u.state AS "userState",
  u.lock_count AS "lockCount", o.state AS "organizationState"`;
