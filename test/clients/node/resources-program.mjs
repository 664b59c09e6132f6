import { application } from "./program.mjs";

/** The resources of the two APIs. */
export const resources = ["urn:example:orders", "urn:example:prices"];

/** Makes the parameters of a request with these resources, and perhaps a scope. */
export function askedFor(wanted, scope) {
  const parameters = new URLSearchParams(wanted.map((resource) => ["resource", resource]));
  if (scope !== undefined) parameters.set("scope", scope);
  return parameters;
}

/** Makes the parameters of a request for a login, for both. */
export function asked(more) {
  const parameters = askedFor(resources, "openid offline_access orders.read prices.read prices.write");
  parameters.set("redirect_uri", `${application.url}/callback`);
  parameters.set("code_challenge_method", "S256");
  for (const [name, value] of Object.entries(more)) parameters.set(name, value);
  return parameters;
}

/** Returns whose the access token is, or what is wrong with its audience or its scope. */
export function audienceOf({ access_token: token }, wanted, scope) {
  const claims = JSON.parse(Buffer.from(token.split(".")[1], "base64url").toString());
  const audience = [claims.aud].flat().join(" ");
  if (audience !== wanted.join(" ")) return `failed: the audience is ${audience}`;
  return scope === undefined || claims.scope === scope ? claims.sub : `failed: the scope is ${claims.scope}`;
}
