import type { LoginOriginPayload } from "./login-origin-payload.ts";

/** The payloads of passkeys, which are a part of their users. */
export interface PasskeyPayloads extends CodePayloads {
  "user.passkey.added": { readonly passkey_id: string; readonly domain: string };
  "user.passkey.verified": LoginOriginPayload & {
    readonly passkey_id: string;
    readonly name: string;
    /** base64url, as the authenticator gave it. */
    readonly credential_id: string;
    /** base64url of the COSE key. */
    readonly public_key: string;
    readonly counter: string;
    readonly aaguid: string;
    readonly attestation_format: string;
    /** Whether it may be copied to other devices of its user. */
    readonly backup_eligible: boolean;
    /** Whether there was such a copy. */
    readonly backed_up: boolean;
    /** As in `user.u2f.verified`. */
    readonly made_with_token_id?: string;
  };
  "user.passkey.removed": { readonly passkey_id: string };
  /** As `user.u2f.questioned`. Nobody logs in with the passkey until the user keeps it. */
  "user.passkey.questioned": { readonly passkey_id: string };
  /** The user keeps the passkey, and answers for it from then on. */
  "user.passkey.kept": { readonly passkey_id: string };
  /** At a login it turned out that there is a copy of the passkey since, or none any more. */
  "user.passkey.backup.changed": { readonly passkey_id: string; readonly backed_up: boolean };
  /** As `user.u2f.counter.regressed`. */
  "user.passkey.counter.regressed": {
    readonly passkey_id: string;
    readonly last_counter: string;
    readonly counter: string;
  };
}

/** What verifies an email address or a phone. */
interface VerifiedPayload {
  /** Set when the user entered a code that was sent to it. */
  readonly by?: "sent_code";
}

/** The payload of each type of event about codes that users enter. */
interface CodePayloads {
  "user.phone.verified": VerifiedPayload;
  "user.email.verified": VerifiedPayload;
  /** A second factor that is a code, sent to the address that the user has: `type` is EMAIL_CODE or SMS_CODE. */
  "user.code_factor.added": { readonly code_factor_id: string; readonly type: string };
  "user.code_factor.removed": { readonly code_factor_id: string };
  /** At a login somebody typed a wrong code. */
  "user.code_factor.check.failed": { readonly code_factor_id: string };
}
