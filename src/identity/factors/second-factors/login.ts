import type { RecoveryCodesId, SecondFactorId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import { challengeLifetimeMs, type LoginAuthenticator } from "../authenticators/authenticator.ts";
import type { CodeFactorKind } from "../../policies/login-policy.ts";
import type { RelyingParty } from "../authenticators/relying-party.ts";

/** A READY u2f token with what it takes to check its answers. */
export type LoginFactor = LoginAuthenticator<SecondFactorId>;

/** What a browser needs to ask for a second factor, in JSON (WebAuthn §5.1, PublicKeyCredentialRequestOptionsJSON). */
export interface RequestOptions {
  readonly challenge: string;
  readonly timeout: number;
  readonly rpId: string;
  readonly allowCredentials: readonly { readonly type: "public-key"; readonly id: string }[];
  readonly userVerification: "discouraged";
}

/** A second factor that was proved, as sessions record it. */
export type FactorCheck =
  | {
      readonly method: "U2F" | "TOTP";
      /** What was used, and its counter: of an app the time step. */
      readonly factor: { readonly id: SecondFactorId; readonly counter: number };
    }
  | {
      readonly method: CodeFactorKind;
      readonly factor: { readonly id: SecondFactorId; readonly counter: 0 };
    }
  | {
      readonly method: "RECOVERY_CODE";
      readonly factor?: undefined;
      /** The codes of which one was used. */
      readonly codesId: RecoveryCodesId;
    };

/** Makes the options that a browser needs to let one of the tokens sign the challenge (base64url). */
export function requestOptions(
  party: RelyingParty,
  factors: readonly Pick<LoginFactor, "credentialId">[],
  challenge: string,
): RequestOptions {
  return {
    challenge,
    timeout: challengeLifetimeMs,
    rpId: party.id,
    allowCredentials: factors.map(({ credentialId }) => ({ type: "public-key", id: credentialId })),
    userVerification: "discouraged", // as at the registration
  };
}

/** Decides to record a counter that went back. */
export function counterRegressed(factor: LoginFactor, counter: number): NewEvent {
  return {
    type: "user.u2f.counter.regressed",
    aggregateId: factor.userId,
    resourceOwner: factor.organizationId,
    payload: { u2f_id: factor.id, last_counter: String(factor.counter), counter: String(counter) },
  };
}
