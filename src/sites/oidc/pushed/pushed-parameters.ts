import type { ReadTransaction } from "../../../kernel/base/database.ts";
import type { Keyring, Sealed } from "../../../kernel/base/keyring.ts";
import { findPushedRequest } from "../../../identity/protocol-state/pushed-requests/repository.ts";
import { isRedirectUriRegistered } from "../../../identity/applications/oidc/redirect-uri.ts";
import type { OidcClient } from "../clients/client.ts";
import { type AuthorizationFault, findFault, findFaultInTarget } from "../login/authorization-request.ts";
import { isReadParameter } from "../login/parameter-lengths.ts";
import type { Form, Lists, Parameters } from "../requests/form.ts";
import { hashRequestUri } from "./request-uri.ts";

/** Returns the request that a client pushes. `jkt`: the key of its proof; that is the same as naming the key (RFC 9449 §10.1). */
export function toPushedParameters(
  { form, lists }: { readonly form: Form; readonly lists: Lists },
  jkt?: string,
): Parameters {
  const values = new Map(form);
  if (jkt !== undefined && !values.has("dpop_jkt")) values.set("dpop_jkt", jkt);
  return { values, repeated: new Set(), lists };
}

/**
 * Says what is wrong with a pushed request; undefined when it is good. The rules are the same as for a request by the browser, and
 * it must not refer to another one (RFC 9126 §2.1).
 */
export function findFaultInPush(
  parameters: Parameters,
  { settings }: Pick<OidcClient, "settings">,
): AuthorizationFault | undefined {
  const wrong = (description: string): AuthorizationFault => ({ code: "invalid_request", description });
  if (parameters.values.has("request_uri")) return wrong("a pushed request must not have request_uri");
  const isRegistered = (uri: string) => isRedirectUriRegistered(settings, uri);
  switch (findFaultInTarget(parameters, isRegistered)) {
    case undefined:
      return findFault(parameters, settings);
    case "unregistered-redirect":
      return wrong("redirect_uri is not registered for the application");
    default:
      return wrong("the parameters client_id and redirect_uri must be there");
  }
}

/**
 * Encrypts a request, so that it can be stored under the hash of its reference. Nothing is kept but what is read later, which has its
 * limits: nobody stores what they like here, and no secret that a client authenticates with is kept.
 */
export function sealParameters(
  keyring: Pick<Keyring, "encrypt">,
  { values, lists }: Parameters,
  hash: string,
): Sealed {
  const resources = (lists.get("resource") ?? []).map((resource) => ["resource", resource] as const);
  const kept = [...[...values].filter(([name]) => isReadParameter(name)), ...resources];
  return keyring.encrypt("pushed-request", Buffer.from(JSON.stringify(kept)), hash);
}

/**
 * Finds the request of a reference. Undefined if there is none that this application may use now, or the key that it was encrypted
 * with is gone.
 */
export async function findPushedParameters(
  tx: ReadTransaction,
  keyring: Keyring,
  asked: { readonly requestUri: string; readonly applicationId: string; readonly nowMs: number },
): Promise<Parameters | undefined> {
  const { requestUri, applicationId, nowMs } = asked;
  const hash = hashRequestUri(requestUri);
  const stored = await findPushedRequest(tx, { hash, applicationId, nowMs });
  if (stored === undefined || !keyring.keyIds.includes(stored.content.keyId)) return undefined;
  const text = Buffer.from(keyring.decrypt("pushed-request", stored.content, hash)).toString();
  const values = JSON.parse(text) as readonly (readonly [string, string])[]; // sealed above
  const resources = values.flatMap(([name, value]) => (name === "resource" ? [value] : []));
  const lists = new Map(resources.length === 0 ? [] : [["resource", resources]]);
  return { values: new Map(values), repeated: new Set(), lists };
}
