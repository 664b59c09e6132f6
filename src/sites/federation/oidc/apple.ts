import { createPrivateKey } from "node:crypto";
import { Secret } from "../../../kernel/base/secret.ts";
import { signCompact } from "../../../kernel/base/signature.ts";
import type { TemplateConfig } from "../../../identity/providers/template.ts";
import { parseJson, asObject } from "../provider/json.ts";
import type { TokenClaims } from "../provider/signed-token.ts";

/** Apple takes up to six months; a secret of ours serves one request. */
const secretSeconds = 300;

/** Makes a client secret for Apple: a JWT of the team about the client, signed by ES256 with the key of the provider. */
export async function signAppleSecret(
  { issuer, clientId, teamId, keyId }: TemplateConfig,
  privateKey: Secret,
  nowMs: number,
): Promise<Secret> {
  const nowSeconds = Math.floor(nowMs / 1000);
  const claims = {
    iss: teamId,
    iat: nowSeconds,
    exp: nowSeconds + secretSeconds,
    aud: issuer,
    sub: clientId,
  };
  const signed = await signCompact(claims, {
    algorithm: "ES256",
    header: { kid: keyId },
    privateKey: createPrivateKey(privateKey.reveal()),
  });
  return new Secret(signed);
}

/**
 * Reads the name of a person from the form that Apple makes the browser post, which has it at the first login alone. Anybody may have
 * written it: it is a name to show, and an address in it is not read.
 */
export function readAppleName(form: URLSearchParams): TokenClaims {
  const { name } = asObject(parseJson(Buffer.from(form.get("user") ?? ""))) ?? {};
  const { firstName, lastName } = asObject(name) ?? {};
  return { given_name: firstName, family_name: lastName };
}
