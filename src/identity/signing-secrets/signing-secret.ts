// Secrets that messages to URLs of callers are signed with, as Standard Webhooks 1.0 describes it: of targets and of hooks.

import { type FieldViolation, Problem } from "../../kernel/base/problem.ts";
import type { Random } from "../../kernel/base/random.ts";
import { Secret } from "../../kernel/base/secret.ts";

/** Maximum number of signing secrets of an object: the former one and the new one. */
export const maxSecrets = 2;

const prefix = "whsec_";
const madeBytes = 32;

/** The form of a signing secret, as the document of the API says it: 24 to 64 bytes, of which the last few may need padding. */
export const signingSecretPattern = String.raw`whsec_(?:(?:[A-Za-z0-9+/]{4}){8,20}(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)?|(?:[A-Za-z0-9+/]{4}){21}[A-Za-z0-9+/]{2}==)`;
const secretForm = new RegExp(`^${signingSecretPattern}$`);

/** Makes a signing secret in the form of Standard Webhooks 1.0: `whsec_` and 32 random bytes in Base64. */
export function makeSigningSecret(random: Random): Secret {
  return new Secret(`${prefix}${Buffer.from(random.bytes(madeBytes)).toString("base64")}`);
}

/** Finds a sent secret that is none (Standard Webhooks 1.0: 24 to 64 bytes). An empty one stands for none. */
export function checkSigningSecret(secret: string): readonly FieldViolation[] {
  if (secret === "" || secretForm.test(secret)) return [];
  return [{ field: "signing_secret", description: "must be whsec_ and 24 to 64 bytes in Base64" }];
}

/** Returns the problem of the last signing secret of an object, which has to stay. */
export function lastSigningSecret(id: string): Problem {
  return new Problem({
    kind: "precondition",
    reason: "LAST_SIGNING_SECRET",
    message: "messages are always signed; add another signing secret first",
    metadata: { object_id: id },
  });
}
