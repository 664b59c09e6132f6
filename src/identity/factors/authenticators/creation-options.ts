import { supportedAlgorithms } from "../../../kernel/webauthn/public-key.ts";
import type { HumanUser } from "../../people/user/user.ts";
import {
  type AuthenticatorId,
  type AuthenticatorKind,
  type Challenge,
  challengeLifetimeMs,
  toUserHandle,
} from "./authenticator.ts";
import type { RelyingParty } from "./relying-party.ts";

/** Makes the options that a browser needs to register an authenticator (WebAuthn §5.4). */
export function creationOptions(input: {
  readonly name: string;
  readonly party: RelyingParty;
  readonly challenge: Challenge;
  readonly kind: Pick<AuthenticatorKind<AuthenticatorId>, "isPasswordless">;
  readonly user: HumanUser;
  readonly credentialIds: readonly string[];
}) {
  const { party, user, kind } = input;
  const need = kind.isPasswordless ? "required" : "discouraged";
  return {
    rp: { name: input.name, id: party.id },
    user: {
      id: Buffer.from(toUserHandle(user.id)).toString("base64url"),
      name: user.username,
      displayName: user.displayName === "" ? `${user.givenName} ${user.familyName}` : user.displayName,
    },
    challenge: input.challenge.value,
    pubKeyCredParams: supportedAlgorithms.map((alg) => ({ alg, type: "public-key" })),
    timeout: challengeLifetimeMs,
    excludeCredentials: input.credentialIds.map((id) => ({ id, type: "public-key" })),
    authenticatorSelection: {
      residentKey: need,
      requireResidentKey: kind.isPasswordless,
      userVerification: need,
    },
    hints: [],
    attestation: "none",
    extensions: { credProps: true },
  };
}
