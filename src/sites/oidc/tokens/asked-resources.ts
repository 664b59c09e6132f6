import { toResourceKey } from "../../../identity/applications/api/api-resource.ts";
import { OAuthError } from "../requests/oauth-error.ts";

/** What a request names in `resource` (RFC 8707 §2). */
export interface AskedResources {
  /** Whether it names anything. */
  readonly isNamed: boolean;
  /** Whether it names our own API, which is the issuer. */
  readonly ownApi: boolean;
  /** The others, each once, as they are compared. */
  readonly keys: readonly string[];
}

/** A request that names nothing. */
const noResources: AskedResources = { isNamed: false, ownApi: false, keys: [] };

const maxResources = 10;
const maxCharacters = 201; // with a final slash that the registered one does not have

/** Reads all values of `resource`. Raises invalid_target for too many, or one that nobody can have registered. */
export function readAskedResources(texts: readonly string[] | undefined, issuer: string): AskedResources {
  if (texts === undefined || texts.length === 0) return noResources;
  if (texts.length > maxResources || texts.some((text) => text.length > maxCharacters && text !== issuer))
    throw targetInvalid();
  const keys = new Set(texts.map(toResourceKey));
  const ownApi = keys.delete(toResourceKey(issuer));
  return { isNamed: true, ownApi, keys: [...keys] };
}

/** Returns the refusal of a resource that there is not, or that the client may not have tokens for: nobody learns which. */
export function targetInvalid(): OAuthError {
  return new OAuthError(
    "invalid_target",
    "resource is unknown, is not verified, or is out of the reach of the client",
  );
}
