import { type ReadTransaction, toInList, type WriteTransaction } from "../../../kernel/base/database.ts";
import { listApplicationVerificationKeys } from "../../../identity/applications/keys/repository.ts";
import { consoleId, consoleSettingsOf, isConsole } from "../../../identity/applications/oidc/console.ts";
import type { ExternalClientKind } from "../../../identity/applications/application/application.ts";
import { isHostAllowed } from "../../../identity/applications/external/settings.ts";
import { findExternalClientSettings } from "../../../identity/applications/external/repository.ts";
import type { Project } from "../../../identity/projects/project.ts";
import { isSecretMethod } from "../../../identity/applications/oauth/oauth-application.ts";
import {
  findOAuthApplicationInPlace,
  type OAuthApplicationInPlace,
} from "../../../identity/applications/repository.ts";
import { listClaimScopes } from "../../../identity/claim-mappings/claim-mapping.ts";
import { toJoinedMappings } from "../../../identity/claim-mappings/repository.ts";
import { listVerificationKeys } from "../../../identity/programs/keys/repository.ts";
import { findSecretHashOfUser } from "../../../identity/programs/secrets/repository.ts";
import { findUserById } from "../../../identity/people/user/repository.ts";
import type { ServiceUser } from "../../../identity/people/user/user.ts";
import type { ApplicationClient, Client, OidcClient, ServiceUserClient } from "./client.ts";

/** For when a client is looked up, and under which issuer: the addresses of the console follow from it. */
export interface ClientLookup {
  readonly nowMs: number;
  readonly issuer: string;
  /** The address of the sender, for those that fetch the document of a client first. Default: nobody knows. */
  readonly remoteAddress?: string | undefined;
}

/** Finds a client by its id, whatever its state: for service users the id of the user, else the id of the application. */
export async function findClient(
  tx: ReadTransaction,
  clientId: string,
  lookup: ClientLookup,
): Promise<Client | undefined> {
  const { nowMs } = lookup;
  // Together, as all reads in this file that can be: each would cost a round trip to the database.
  const [user, application] = await Promise.all([
    findUserById(tx, clientId),
    findApplicationClient(tx, clientId, lookup),
  ]);
  return user?.kind === "service" ? await toServiceUserClient(tx, user, nowMs) : application;
}

/** Finds an application that is a client, whatever its state. */
export async function findApplicationClient(
  tx: ReadTransaction,
  clientId: string,
  { nowMs, issuer }: ClientLookup,
): Promise<ApplicationClient | undefined> {
  if (isConsole(clientId)) return toConsoleClient(issuer);
  const found = await findOAuthApplicationInPlace(tx, clientId);
  return found && (await toApplicationClient(tx, found, nowMs));
}

/** Nobody can switch the console off: each call checks what users may do with it. */
function toConsoleClient(issuer: string): OidcClient {
  const settings = consoleSettingsOf(issuer);
  const { authMethodType: method, accessTokenType, signingAlgorithm } = settings;
  return {
    kind: "oidc",
    id: consoleId,
    name: "Gatehouse Console",
    isActive: true,
    method,
    place: undefined,
    keys: [],
    secret: undefined,
    accessTokenType,
    signingAlgorithm,
    settings,
    mappings: [],
    hookClaim: "",
  };
}

async function toServiceUserClient(
  tx: ReadTransaction,
  user: ServiceUser,
  nowMs: number,
): Promise<ServiceUserClient> {
  const { id, accessTokenType, signingAlgorithm } = user;
  const [keys, secret] = await Promise.all([
    listVerificationKeys(tx, id, nowMs),
    findSecretHashOfUser(tx, id, nowMs),
  ]);
  return { kind: "service-user", id, accessTokenType, signingAlgorithm, keys, secret };
}

async function toApplicationClient(
  tx: ReadTransaction,
  { application, project, organization, secretHash: hash, claimColumns }: OAuthApplicationInPlace,
  nowMs: number,
): Promise<ApplicationClient> {
  const { id, name, kind, secretId } = application;
  const external = kind === "oidc" ? application.oidc.external : undefined;
  const isIn = external === undefined || (await isStillTaken(tx, { id, kind: external.kind, project }));
  const { authMethodType: method } = kind === "oidc" ? application.oidc : application.api;
  const shared = {
    id,
    name,
    isActive: isIn && [application, project, organization].every(({ state }) => state === "ACTIVE"),
    method,
    place: { project, organization },
    keys:
      method === "PRIVATE_KEY_JWT"
        ? (external?.keys ?? (await listApplicationVerificationKeys(tx, id, nowMs)))
        : [],
    secret:
      isSecretMethod(method) && secretId && hash
        ? { id: secretId, expirationMs: undefined, hash }
        : undefined,
  };
  if (kind === "api") {
    const settings = application.api;
    return { ...shared, kind, settings, accessTokenType: "BEARER", signingAlgorithm: "RS256" };
  }
  const { accessTokenType, signingAlgorithm } = application.oidc;
  const mappings = external === undefined ? toJoinedMappings(claimColumns) : [];
  const settings =
    mappings.length === 0
      ? application.oidc
      : { ...application.oidc, claimScopes: listClaimScopes(mappings) };
  const hookClaim = external === undefined ? claimColumns.hook_claim : "";
  return { ...shared, kind, accessTokenType, signingAlgorithm, settings, mappings, hookClaim };
}

/** An external client is one only as long as the settings let clients in that came as it did. */
async function isStillTaken(
  tx: ReadTransaction,
  {
    id,
    kind,
    project,
  }: { readonly id: string; readonly kind: ExternalClientKind; readonly project: Project },
): Promise<boolean> {
  const settings = await findExternalClientSettings(tx);
  if (settings === undefined || settings.projectId !== project.id || !settings.kinds.includes(kind))
    return false;
  return kind === "REGISTRATION" || isHostAllowed(settings, new URL(id).hostname);
}

/** Where an application is registered. */
interface ApplicationPlace {
  readonly id: string;
  readonly projectId: string;
  /** The organization that owns the project. */
  readonly organizationId: string;
  /** Whether nobody has created it. */
  readonly isExternal: boolean;
}

/** Lists where these applications are registered, in no order. */
export async function listApplicationPlaces(
  tx: ReadTransaction,
  ids: readonly string[],
): Promise<readonly ApplicationPlace[]> {
  if (ids.length === 0) return [];
  const { sql, parameters } = toInList(ids);
  const rows = await tx.all<Omit<ApplicationPlace, "isExternal"> & { readonly external: string }>(
    `SELECT a.id, a.project_id AS "projectId", p.resource_owner AS "organizationId", a.external
     FROM applications a JOIN projects p ON p.id = a.project_id WHERE a.id IN ${sql}`,
    parameters,
  );
  return rows.map(({ id, projectId, organizationId, external }) => {
    const isExternal = external !== "";
    return { id, projectId, organizationId, isExternal };
  });
}

/** Wrong tries of a client from an address. */
export interface ClientTries {
  readonly count: number;
  /** When they are forgotten. */
  readonly expirationMs: number;
}

/** Finds the tries that are not forgotten yet. */
export async function findTries(
  tx: ReadTransaction,
  hash: string,
  nowMs: number,
): Promise<ClientTries | undefined> {
  const row = await tx.get<{ count: number; expiration_ms: number }>(
    "SELECT count, expiration_ms FROM client_tries WHERE hash = ? AND expiration_ms > ?",
    [hash, nowMs],
  );
  return row && { count: row.count, expirationMs: row.expiration_ms };
}

/** Counts a wrong try. The first one decides when all of them are forgotten. */
export async function putTries(tx: WriteTransaction, hash: string, tries: ClientTries): Promise<void> {
  await tx.run(
    `INSERT INTO client_tries (hash, count, expiration_ms) VALUES (?, ?, ?)
     ON CONFLICT (hash) DO UPDATE SET count = excluded.count, expiration_ms = excluded.expiration_ms`,
    [hash, tries.count, tries.expirationMs],
  );
}

/** Deletes at most `limit` counts of tries whose time is over. Returns how many. */
export async function deleteExpiredClientTries(
  tx: WriteTransaction,
  { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
): Promise<number> {
  return await tx.change(
    `DELETE FROM client_tries WHERE hash IN
       (SELECT hash FROM client_tries WHERE expiration_ms <= ? ORDER BY expiration_ms LIMIT ?)`,
    [nowMs, limit],
  );
}
