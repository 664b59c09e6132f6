import type { ToldClaim } from "./texts.ts";

/** What an application learns by each scope. */
const claimsOfScopes: readonly (readonly [scope: RegExp, claim: ToldClaim])[] = [
  [/^openid$/, "identity"],
  [/^profile$/, "profile"],
  [/^email$/, "email"],
  [/^phone$/, "phone"],
  [/^(?:groups|urn:zitadel:iam:org:projects?:roles?(?::.*)?)$/, "roles"],
  [/^urn:zitadel:iam:user:resourceowner$/, "organization"],
  [/^offline_access$/, "offline"],
];

/** Lists what an application learns that asks for these scopes, each once, in the order in which a page names it. */
export function listToldClaims(scopes: readonly string[]): readonly ToldClaim[] {
  const told = claimsOfScopes.filter(([pattern]) => scopes.some((scope) => pattern.test(scope)));
  return told.map(([, claim]) => claim);
}
