import type { ApplicationId, TokenId, UserId } from "../../../kernel/base/ids.ts";
import { equalBytes, type Secret } from "../../../kernel/base/secret.ts";
import type { StoredApiSettings } from "../../../identity/applications/api/api-application.ts";
import type { OAuthMethod } from "../../../identity/applications/oauth/oauth-application.ts";
import type { OidcSettings } from "../../../identity/applications/oidc/oidc-application.ts";
import type { VerificationKey } from "../../../identity/client-keys/client-key.ts";
import type { Organization } from "../../../identity/organizations/organization.ts";
import type { Project } from "../../../identity/projects/project.ts";
import type { SigningAlgorithm } from "../../../identity/signing-keys/signing-key.ts";
import type { AccessTokenType } from "../../../identity/people/user/user.ts";
import type { PlacedClaimMapping } from "../../../identity/claim-mappings/claim-mapping.ts";
import type { ProjectGate } from "../../login/application-access.ts";
import { isStretched, matchesStretched } from "../../../identity/applications/oauth/stretched-secret.ts";
import { hashToken } from "../../../identity/programs/tokens/token.ts";

interface ClientBase {
  readonly accessTokenType: AccessTokenType;
  readonly signingAlgorithm: SigningAlgorithm;
  /** Those that have not expired. None for a client that authenticates in another way. */
  readonly keys: readonly VerificationKey[];
  /** Undefined when there is none, it has expired, or the client authenticates in another way. */
  readonly secret: ClientSecret | undefined;
}

/** A service user as a client: it acts for itself. */
export interface ServiceUserClient extends ClientBase {
  readonly kind: "service-user";
  readonly id: UserId;
}

interface ApplicationClientBase extends ClientBase {
  readonly id: ApplicationId;
  readonly name: string;
  /** Whether the application, its project and the organization that owns the project are all active. */
  readonly isActive: boolean;
  /** How the application authenticates. A secret may be sent as BASIC or as POST, whichever of the two this is. */
  readonly method: OAuthMethod;
}

/** Where an application is registered. */
export interface ClientPlace {
  readonly project: Project;
  /** The organization that owns the project. */
  readonly organization: Organization;
}

/** An application that users log in to. */
export interface OidcClient extends ApplicationClientBase {
  readonly kind: "oidc";
  /** `claimScopes`: those that ask for claims of its own. Absent: none do. */
  readonly settings: OidcSettings & { readonly claimScopes?: readonly string[] };
  /** The claims of its own and of its project; none for the console, and for an external client. */
  readonly mappings: readonly PlacedClaimMapping[];
  /** The claim that hooks fill in; empty: they do not. */
  readonly hookClaim: string;
  /** Undefined for the console, which is built in: the checks of a project do not hold for it, and its tokens are for our API. */
  readonly place: ClientPlace | undefined;
}

/** An API, which checks tokens by introspection and gets none. */
export interface ApiClient extends ApplicationClientBase {
  readonly kind: "api";
  readonly settings: StoredApiSettings;
  readonly place: ClientPlace;
}

/** An application as a client. */
export type ApplicationClient = OidcClient | ApiClient;

/** The sender of requests to the endpoints of OAuth. */
export type Client = ServiceUserClient | ApplicationClient;

/**
 * Returns the place whose project, roles and organization the tokens of an application are of; undefined: of none. An external client
 * is in a project only to be administered: nobody there has vouched for it.
 */
export function ownPlaceOf(
  client: Pick<ApplicationClient, "kind" | "place" | "settings"> | undefined,
): ClientPlace | undefined {
  return client !== undefined && isExternal(client) ? undefined : client?.place;
}

/** Says whether nobody has created the client: it has introduced itself. */
export function isExternal({ settings }: Pick<ApplicationClient, "settings">): boolean {
  return "external" in settings && settings.external !== undefined;
}

/** Converts the place of an application to what its project asks of the users who log in. */
export function toGate(place: ClientPlace | undefined): ProjectGate | undefined {
  return place && { ...place.project, organizationId: place.organization.id };
}

/** A client secret, of which only the hash is known. */
export interface ClientSecret {
  readonly id: TokenId;
  readonly hash: Uint8Array;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** The key or secret with which a client has authenticated. */
export interface UsedCredential {
  readonly id: TokenId;
  /** Expires at this instant; undefined = never. */
  readonly expirationMs: number | undefined;
}

/** Says whether comparing with the secret of the client takes time and memory, because it was made elsewhere and can be guessed. */
export function hasStretchedSecret({ secret }: Client): boolean {
  return secret !== undefined && isStretched(secret.hash);
}

/** Says in constant time whether one of the spellings is the secret of the client. */
export async function isSecretOf({ secret }: Client, spellings: readonly Secret[]): Promise<boolean> {
  if (secret === undefined) return false;
  if (isStretched(secret.hash)) {
    const each = spellings.map((given) => matchesStretched(secret.hash, given.reveal()));
    return (await Promise.all(each)).includes(true);
  }
  const fits = spellings.map((given) => equalBytes(secret.hash, hashToken(given.reveal())));
  return fits.includes(true); // all are compared, whichever fits
}
