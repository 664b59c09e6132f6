// Hooks before tokens: what they learn, and what becomes of their answers.

import type { ReadTransaction } from "../../../kernel/base/database.ts";
import {
  askHooks,
  hasHooks,
  type HookDecision,
  type HookSession,
  noHooks,
} from "../../../identity/hooks/calls/ask-hooks.ts";
import type { Claims } from "../../../identity/signing-keys/jwt.ts";
import { type ClientPlace, type OidcClient, ownPlaceOf } from "../clients/client.ts";
import { OAuthError } from "../requests/oauth-error.ts";
import { toLoginClaims, toScopeClaim, type ToldLogin } from "./claims.ts";

/** The tokens that would be given. */
export interface TokensToTell {
  readonly client: OidcClient;
  readonly userId: string;
  /** As the log names it. */
  readonly grant: string;
  /** What names the user to the client. */
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly audiences: readonly string[];
  /** What a JWT access token tells; undefined: it is opaque, and tells nothing. */
  readonly access: Claims | undefined;
  /** Undefined: no ID token is given. */
  readonly id: { readonly told: Claims; readonly login: ToldLogin | undefined } | undefined;
}

/** Says whether hooks are asked about tokens of a client. It takes one look-up. */
export async function hasTokenHooks(
  tx: ReadTransaction,
  hooks: HookSession,
  client: OidcClient,
): Promise<boolean> {
  const place = placeOfHooks(client);
  if (place === undefined) return false;
  return await hasHooks(tx, hooks, { kind: "BEFORE_TOKEN", organizationId: place.organization.id });
}

/** Asks the hooks about tokens: they learn what these would tell. */
export async function askBeforeTokens(
  tx: ReadTransaction,
  hooks: HookSession,
  tokens: TokensToTell,
): Promise<HookDecision> {
  const { client, userId, grant, subject: sub, access, id } = tokens;
  const place = placeOfHooks(client);
  if (place === undefined) return noHooks;
  const scope = toScopeClaim(tokens.scopes);
  const login = id && toLoginPart(id.login, client.id);
  const toData = (part: Claims | undefined) => ({
    organization_id: place.organization.id,
    project_id: place.project.id,
    application_id: client.id,
    protocol: "oidc",
    grant,
    sub,
    ...scope,
    ...(id === undefined ? {} : { id_token: { sub, aud: client.id, ...part, ...id.told } }),
    ...(access === undefined
      ? {}
      : { access_token: { sub, client_id: client.id, aud: tokens.audiences, ...scope, ...access } }),
  });
  // A login that ends with this very write was a moment earlier the first time.
  const { auth_time: _moment, ...lasting } = login ?? {};
  const about = { organizationId: place.organization.id, userId, applicationId: client.id };
  return await askHooks(tx, hooks, {
    kind: "BEFORE_TOKEN",
    ...about,
    data: toData(login),
    lasting: toData(lasting),
  });
}

/** The console has no place, and a client that nobody has created none whose hooks decide about it. */
function placeOfHooks(client: OidcClient): ClientPlace | undefined {
  return ownPlaceOf(client);
}

/** Which session it is, and what the client has sent, are no part of the user. */
function toLoginPart(login: ToldLogin | undefined, clientId: string): Claims {
  if (login === undefined) return {};
  const { sid: _session, nonce: _nonce, ...told } = toLoginClaims(login, clientId);
  return told;
}

/**
 * Returns the claims of hooks in tokens of a client, below the name that the client has for it. Of two hooks that name a claim, one
 * of the instance wins over one of the organization, and a newer one over an older one.
 */
export function toHookedClaims(name: string, { additions }: HookDecision): Claims {
  const claims = Object.fromEntries(additions.flatMap((added) => Object.entries(added.claims)));
  return name === "" || Object.keys(claims).length === 0 ? {} : { [name]: claims };
}

/** Refuses a client whose hooks refuse the user. Raises access_denied, and temporarily_unavailable while a hook fails. */
export function requireNotRefused({ refusal }: HookDecision): void {
  if (refusal === undefined) return;
  throw refusal.cause === "failed"
    ? new OAuthError("temporarily_unavailable", "a check of the organization could not be made")
    : new OAuthError("access_denied", toDescription(refusal.message));
}

/** RFC 6749 §5.2: a description has printable ASCII characters but for two. */
function toDescription(message: string): string {
  const text = message.replaceAll(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, "?");
  return text === "" ? "a hook of the organization refused" : `a hook of the organization refused: ${text}`;
}
