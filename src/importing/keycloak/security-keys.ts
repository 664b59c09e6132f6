import { isUsableKey } from "../../identity/imports/usable-key.ts";
import type { ImportedSecurityKey } from "../../identity/imports/imported-user.ts";
import { checkVisible } from "../../kernel/base/names/visible-name.ts";
import { parseFields, textIn } from "../json-fields.ts";
import type { JsonFields } from "../json-members.ts";

/** What a user may register here. */
const mostKeys = 100;
const mostIdBytes = 1023; // WebAuthn §5.8.3

/**
 * Reads the security keys among the credentials of a user (WebAuthnCredentialData), which were registered for the domain; the number of those that cannot
 * be used here, such as keys of another algorithm, is `refused`. Keycloak keeps the credential id in base64, and the COSE key in base64url.
 */
export function readSecurityKeys(
  credentials: readonly JsonFields[],
  domain: string,
): { readonly keys: readonly ImportedSecurityKey[]; readonly refused: number } {
  const own = credentials.filter((each) => textIn(each, "type") === "webauthn");
  const keys = own.flatMap((each) => readKey(each, domain) ?? []).slice(0, mostKeys);
  return { keys, refused: own.length - keys.length };
}

function readKey(credential: JsonFields, domain: string): ImportedSecurityKey | undefined {
  const data = parseFields(textIn(credential, "credentialData"));
  const credentialId = Buffer.from(textIn(data, "credentialId"), "base64");
  const publicKey = Buffer.from(textIn(data, "credentialPublicKey"), "base64url");
  const counter = data["counter"] ?? 0;
  const isCounter =
    typeof counter === "number" && Number.isInteger(counter) && counter >= 0 && counter < 2 ** 32;
  if (credentialId.length === 0 || credentialId.length > mostIdBytes || !isCounter || !isUsableKey(publicKey))
    return undefined;
  return {
    name: nameOf(textIn(credential, "userLabel")),
    domain,
    credential: {
      credentialId: credentialId.toString("base64url"),
      publicKey: publicKey.toString("base64url"),
      counter,
      aaguid: textIn(data, "aaguid"),
      attestationFormat: textIn(data, "attestationStatementFormat") || "none",
    },
  };
}

function nameOf(label: string): string {
  const isFit = label.trim() !== "" && label.length <= 200 && !/\p{Cc}/u.test(label);
  return isFit && checkVisible({ label }).length === 0 ? label : "Security key";
}
