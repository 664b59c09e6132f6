import { createHash } from "node:crypto";
import type { AccessToken } from "../../features/access-tokens/access-token.ts";
import type { Claims } from "../../features/signing-keys/jwt.ts";
import type { SigningAlgorithm } from "../../features/signing-keys/signing-key.ts";
import type { RolesInEffect } from "../../features/user-grants/effective-role-repository.ts";

/** What tokens tell of a user by their scopes. */
export interface ToldOfUser {
  readonly roles: readonly RolesInEffect[];
  /** Only these roles are told; empty = all. */
  readonly roleKeys: readonly string[];
  /** The organization of the user; undefined when it is not told. */
  readonly resourceOwner: { readonly id: string; readonly name: string } | undefined;
}

/** Makes the claims of a JWT access token (RFC 9068 §2.2). */
export function toAccessTokenClaims(
  token: AccessToken,
  { issuer, jwtId, told }: { readonly issuer: string; readonly jwtId: string; readonly told: ToldOfUser },
): Claims {
  const issued = toSeconds(token.issuedMs);
  return {
    iss: issuer,
    sub: token.userId,
    aud: token.audiences,
    exp: toSeconds(token.expirationMs),
    iat: issued,
    nbf: issued,
    jti: jwtId,
    client_id: token.clientId,
    ...(token.scopes.length === 0 ? {} : { scope: token.scopes.join(" ") }), // RFC 9068 §2.2.3
    ...toToldClaims(told),
  };
}

/** Makes the claims of an ID token (OpenID Connect Core §2). It is for the client alone. */
export function toIdTokenClaims(
  token: AccessToken,
  how: {
    readonly issuer: string;
    readonly accessToken: string;
    readonly algorithm: SigningAlgorithm;
    readonly lifetimeSeconds: number;
    readonly told: ToldOfUser;
  },
): Claims {
  const issued = toSeconds(token.issuedMs);
  return {
    iss: how.issuer,
    sub: token.userId,
    aud: token.clientId,
    exp: issued + how.lifetimeSeconds,
    iat: issued,
    at_hash: toAccessTokenHash(how.accessToken, how.algorithm),
    ...toToldClaims(how.told),
  };
}

/** Converts what is told of a user to claims. Roles are told as key of the role, id of the organization, and its name. */
function toToldClaims({ roles, roleKeys, resourceOwner }: ToldOfUser): Claims {
  const byProject = Map.groupBy(roles, ({ projectId }) => projectId);
  const told = [...byProject].flatMap(([projectId, grants]) => {
    const claim = toRoleClaim(grants, roleKeys);
    return claim.size === 0
      ? []
      : [[`urn:zitadel:iam:org:project:${projectId}:roles`, toObject(claim)] as const];
  });
  return {
    ...Object.fromEntries(told),
    ...(resourceOwner === undefined
      ? {}
      : {
          "urn:zitadel:iam:user:resourceowner:id": resourceOwner.id,
          "urn:zitadel:iam:user:resourceowner:name": resourceOwner.name,
        }),
  };
}

function toRoleClaim(
  grants: readonly RolesInEffect[],
  only: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const claim = new Map<string, Map<string, string>>();
  for (const { roleKeys, organizationId, organizationName } of grants) {
    for (const key of roleKeys) {
      if (only.length > 0 && !only.includes(key)) continue;
      const organizations = claim.get(key) ?? new Map<string, string>();
      claim.set(key, organizations.set(organizationId, organizationName));
    }
  }
  return claim;
}

/** The keys are texts of callers, such as `__proto__`: `fromEntries` makes own properties of all of them. */
function toObject(claim: ReadonlyMap<string, ReadonlyMap<string, string>>): object {
  return Object.fromEntries(
    [...claim].map(([key, organizations]) => [key, Object.fromEntries(organizations)]),
  );
}

/** OpenID Connect Core §3.1.3.6: the left half of the hash that the signature uses; Ed25519 uses SHA-512. */
function toAccessTokenHash(accessToken: string, algorithm: SigningAlgorithm): string {
  const digest = createHash(algorithm === "EDDSA" ? "sha512" : "sha256")
    .update(accessToken, "ascii")
    .digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
