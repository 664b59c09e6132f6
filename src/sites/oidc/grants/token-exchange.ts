import { withUserId } from "../../../identity/tokens-in-force/repository.ts";
import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { StoredAccessToken } from "../../../identity/logins/access-tokens/access-token.ts";
import { findAccessToken } from "../../../identity/logins/access-tokens/repository.ts";
import type { HookSession } from "../../../identity/hooks/calls/ask-hooks.ts";
import type { GoodProof } from "../../../identity/protocol-state/dpop/proof.ts";
import { toUses, writeWithUse } from "../clients/assertion-use.ts";
import { authenticateClient } from "../clients/authentication.ts";
import type { OidcClient } from "../clients/client.ts";
import type { ClientLookup } from "../clients/repository.ts";
import { findActiveUser } from "../codes/repository.ts";
import { readProofForTokens, requireProofFor } from "../dpop/request-proof.ts";
import { toResourceKey } from "../../../identity/applications/api/api-resource.ts";
import { listApiTargets } from "../../../identity/applications/api/target-repository.ts";
import { listResources } from "../tokens/token-apis.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import type { OAuthRequest } from "../requests/oauth-request.ts";
import {
  drawAccessToken,
  endWith,
  type GivenTokens,
  type IssuePorts,
  nothingTold,
  signTokens,
  storeAccessToken,
  type TokenAnswer,
} from "../tokens/issue.ts";
import { askBeforeTokens, requireNotRefused, toHookedClaims } from "../tokens/before-token.ts";
import { requireAccess, tellInToken } from "../tokens/issue-for-authorization.ts";
import {
  findLiveAccessToken,
  isForApplication,
  type LiveAccessToken,
  type PresentedToken,
  readPresentedToken,
} from "../tokens/presented-token.ts";
import { readSubject } from "../tokens/subject.ts";
import { readTokenReach } from "../tokens/token-reach.ts";
import {
  type AskedExchange,
  decideExchange,
  keepResources,
  readExchange,
  type SentToken,
} from "./exchange-rules.ts";
import { requireGrantType } from "./grant-rights.ts";

/** A token that a client has sent, and what its text says. */
interface Presented extends SentToken {
  readonly presented: PresentedToken;
}

interface Exchange {
  readonly asked: AskedExchange;
  readonly client: OidcClient;
  readonly subject: Presented;
  readonly actor: Presented | undefined;
  /** Undefined: the client sends none. */
  readonly proof: GoodProof | undefined;
  readonly issuer: string;
  readonly hooks: HookSession;
}

/**
 * Gives an application an access token for one that it was sent (RFC 8693), with which it acts for the same user. The new token
 * ends with all that the other one ends with. All that the request changes is one write. A token that is bound to a key needs a
 * proof of that key, and the new one is bound to the key of the proof (RFC 9449 §5). Raises invalid_request for tokens that are not
 * accepted (RFC 8693 §2.2.2), invalid_grant for those of a user who may not sign in, access_denied, invalid_scope, invalid_target,
 * invalid_dpop_proof, and what authentication raises.
 */
export async function grantByTokenExchange(ports: IssuePorts, request: OAuthRequest): Promise<TokenAnswer> {
  const { context } = ports;
  const by = await authenticateClient(ports, request);
  const client = requireGrantType(by.client, "TOKEN_EXCHANGE");
  // RFC 8693 §2.1: otherwise a thief of a token could make others of it, or try tokens out.
  if (by.credential === undefined)
    throw new OAuthError("unauthorized_client", "only a client that authenticates may exchange tokens");
  const asked = readExchange(request);
  const proof = await readProofForTokens(context, request, client);
  const uses = toUses(by.use, proof?.use);
  const { issuer, requestId } = request;
  const present = async (sent: SentToken): Promise<Presented> => ({
    ...sent,
    presented: await readPresentedToken(ports, { text: sent.text, issuer }),
  });
  const actor = asked.actor && (await present(asked.actor));
  const subject = await present(asked.subject);
  const isStored = !asked.wantsJwt && client.accessTokenType === "BEARER";
  const given = await ports.hooks.run(async (hooks) => {
    const exchange: Exchange = { asked, client, subject, actor, proof, issuer, hooks };
    const work = (tx: ReadTransaction) => decide(ports, tx, exchange);
    if (uses.length === 0 && !isStored) return await context.database.read(work);
    return await writeWithUse(context.database, { uses, request }, async (tx) => {
      const decided = await work(tx);
      await storeAccessToken(tx, decided);
      return decided;
    });
  });
  const how = { issuer, algorithm: client.signingAlgorithm, grant: "token_exchange", requestId };
  return { ...(await signTokens(ports, given, how)), issued_token_type: asked.issuedType };
}

async function decide(
  { context, accessTokenSeconds }: IssuePorts,
  tx: ReadTransaction,
  { asked, client, subject, actor, proof, issuer, hooks }: Exchange,
): Promise<GivenTokens> {
  const nowMs = context.clock.nowMs();
  const lookup = { nowMs, issuer };
  const isForClient = (token: StoredAccessToken) => isSubjectFor(tx, token, client);
  const live = await requireLive(tx, subject, { ...lookup, isAccepted: isForClient });
  const acting =
    actor &&
    (await requireLive(tx, actor, {
      ...lookup,
      isAccepted: async (token) => token.clientId === client.id || (await isForClient(token)),
    }));
  // RFC 9449 §7: a token that is bound is taken only from the holder of its key; the new one is bound to the key of the request.
  for (const sent of [live, acting]) requireProofFor(sent?.token.jkt, proof, "invalid_request");
  await requireAccess(tx, client, { userId: live.user.id, organizationId: live.user.organizationId });
  const kept = { ...live.token, audiences: keepResources(live.token.audiences, asked.resources) };
  const reach = await readTokenReach(tx, { ...live, token: kept }, { exchanging: client });
  const { scopes: left, audiences, consent, apis } = reach;
  if (audiences.length === 0) throw new OAuthError("invalid_grant", "subject_token is for nobody any more");
  const decided = decideExchange({
    asked,
    subject: { ...live.token, scopes: left.granted, audiences },
    actor: acting?.token,
    client,
    nowMs,
    accessTokenSeconds,
    jkt: proof?.jkt,
  });
  const type = asked.wantsJwt ? "JWT" : client.accessTokenType;
  const scopes = { ...decided.scopes, roleLimits: left.roleLimits };
  const about = { userId: decided.token.userId, scopes, application: client, consent };
  const { told, endDate, leftOut } =
    type === "JWT" ? await tellInToken(tx, { about, apis, client }) : nothingTold;
  const token = type === "JWT" ? endWith(decided.token, [left.endDate, endDate]) : decided.token;
  const named = await readSubject(tx, client, token.userId);
  const decision = await askBeforeTokens(tx, hooks, {
    client,
    userId: token.userId,
    grant: "token_exchange",
    subject: named,
    scopes: token.scopes,
    audiences: token.audiences,
    access: type === "JWT" ? told : undefined,
    id: undefined,
  });
  requireNotRefused(decision);
  const hooked = type === "JWT" && apis === undefined ? toHookedClaims(client.hookClaim, decision) : {};
  return {
    token,
    subject: named,
    ...drawAccessToken(token, type, context.random),
    told: { ...hooked, ...told },
    leftOut,
    idToken: undefined,
    refreshToken: undefined,
  };
}

/** Says whether a token is for the client or its project: also by the resource of an API of that project. */
async function isSubjectFor(
  tx: ReadTransaction,
  token: StoredAccessToken,
  client: OidcClient,
): Promise<boolean> {
  const keys = listResources(token).map(toResourceKey);
  if (keys.length === 0) return isForApplication(token, client);
  return (await listApiTargets(tx, { keys })).some(({ project }) => project.id === client.place?.project.id);
}

/**
 * Finds a token that holds at this instant. One that is for others is refused like one that does not exist. A client that holds a
 * token of its own learns that the user may not sign in, as with every grant.
 */
async function requireLive(
  tx: ReadTransaction,
  { name, isJwt, presented }: Presented,
  how: ClientLookup & { readonly isAccepted: (token: StoredAccessToken) => Promise<boolean> },
): Promise<LiveAccessToken> {
  const isOfType = presented.kind === "jwt" || (presented.kind === "opaque" && !isJwt);
  const token = isOfType ? await findSent(tx, presented) : undefined;
  if (token === undefined || token.expirationMs <= how.nowMs || !(await how.isAccepted(token)))
    throw unacceptable(name);
  if ((await findActiveUser(tx, token.userId)) === undefined)
    throw new OAuthError("invalid_grant", `the user of ${name}, or their organization, is not active`);
  const live = await findLiveAccessToken(tx, presented, how);
  // Its audience may have become smaller since it was issued.
  if (
    live === undefined ||
    !(await how.isAccepted({ ...token, audiences: (await readTokenReach(tx, live)).audiences }))
  )
    throw unacceptable(name);
  return live;
}

async function findSent(
  tx: ReadTransaction,
  presented: PresentedToken,
): Promise<StoredAccessToken | undefined> {
  if (presented.kind === "jwt") return await withUserId(tx, presented.token);
  return presented.kind === "opaque" ? await findAccessToken(tx, presented.hash) : undefined;
}

/** RFC 8693 §2.2.2: a token that is invalid for any reason makes the request invalid. */
function unacceptable(name: SentToken["name"]): OAuthError {
  return new OAuthError(
    "invalid_request",
    `${name} must be an access token that holds, and that is for the client or its project`,
  );
}
