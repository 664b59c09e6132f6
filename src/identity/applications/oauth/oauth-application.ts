import type { ApplicationId, TokenId } from "../../../kernel/base/ids.ts";
import { stateConflict } from "../../../kernel/base/problem.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { Secret } from "../../../kernel/base/secret.ts";
import type { ExternalClientPayload } from "../../../kernel/events/application-payloads.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { hashToken } from "../../programs/tokens/token.ts";
import {
  aggregateOf,
  type ApplicationBase,
  type ApplicationOfKind,
  isNotApplicationOf,
  requireCreated,
} from "../application/application.ts";

/**
 * How an application authenticates as a client (OpenID Connect Core §9): with a secret by BASIC or POST, by PRIVATE_KEY_JWT with a
 * key, or not at all.
 */
export type OAuthMethod = "BASIC" | "POST" | "NONE" | "PRIVATE_KEY_JWT";

/** What applications that are clients of OAuth have. Their client id is the id of the application. */
export interface OAuthApplicationBase extends ApplicationBase {
  readonly kind: "oidc" | "api";
  /** The client secret, whose hash is the secret `application-secret:<id>`; undefined when there is none. */
  readonly secretId: TokenId | undefined;
}

/** What decides about the secret and the keys of such an application. */
export interface OAuthApplication extends OAuthApplicationBase {
  readonly authMethodType: OAuthMethod;
  /** Whether its tokens may be for our own API. */
  readonly apiAccess: boolean;
}

/** A client secret that was just made. Its hash goes under `hashId` in the write that records the event. */
export interface NewApplicationSecret {
  readonly event: NewEvent;
  /** What the application sends; the caller sees it once. */
  readonly secret: Secret;
  readonly hashId: string;
  readonly hash: Uint8Array;
}

/** What a client says of itself that nobody has created, as the row of the application has it. */
export type StoredExternalClient = ExternalClientPayload & {
  /** What users have confirmed before does not hold for what it is now, in milliseconds since 1970. */
  readonly since_ms: number;
};

/** Says whether applications authenticate with a secret by this method. */
export function isSecretMethod(method: OAuthMethod): boolean {
  return method === "BASIC" || method === "POST";
}

/** Decides to give the application a secret in place of any former one. */
export function setApplicationSecret(input: {
  readonly id: TokenId;
  readonly application: Pick<OAuthApplicationBase, "kind"> & {
    readonly id: ApplicationId;
    readonly resourceOwner: string;
  };
  readonly random: Random;
}): NewApplicationSecret {
  const text = Buffer.from(input.random.bytes(32)).toString("base64url");
  return { ...keepApplicationSecret(input), secret: new Secret(text), hash: hashToken(text) };
}

/** Decides to give the application a secret that it has already, in place of any former one. */
export function keepApplicationSecret({
  id,
  application,
}: Pick<Parameters<typeof setApplicationSecret>[0], "id" | "application">): Pick<
  NewApplicationSecret,
  "event" | "hashId"
> {
  return {
    event: {
      type: `application.${application.kind}.secret.set`,
      aggregateId: application.id,
      resourceOwner: application.resourceOwner,
      payload: { secret_id: id },
    },
    hashId: applicationSecretHashId(id),
  };
}

/** Decides what becomes of the secret when the application authenticates by that method from now on. */
export function removeUnusedSecret(
  application: OAuthApplicationBase,
  method: OAuthMethod,
): readonly NewEvent[] {
  const { kind, secretId } = application;
  if (secretId === undefined || isSecretMethod(method)) return [];
  return [
    {
      type: `application.${kind}.secret.removed`,
      ...aggregateOf(application),
      payload: { secret_id: secretId },
    },
  ];
}

/** Raises WRONG_KIND for a SAML application. */
export function requireOAuth(application: OAuthApplication | ApplicationOfKind<"saml">): OAuthApplication {
  if (application.kind === "saml") throw isNotApplicationOf("an OIDC or API application", application.id);
  return application;
}

/** Raises STATE_CONFLICT unless the application authenticates with a secret, and WRONG_KIND for an external client. */
export function requireSecretMethod(application: OAuthApplication): void {
  requireCreated(application);
  const { id, authMethodType } = application;
  if (isSecretMethod(authMethodType)) return;
  throw stateConflict(
    { type: "application", name: id },
    authMethodType,
    "the application does not authenticate with a secret; set another auth_method_type first",
  );
}

/** Returns the id of the secret that holds the hash of a client secret. */
export function applicationSecretHashId(id: string): string {
  return `application-secret:${id}`;
}
