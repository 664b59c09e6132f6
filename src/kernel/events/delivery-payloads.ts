import type { LoginOriginPayload } from "./login-origin-payload.ts";

/** The payloads of what could not be delivered, with the rules of `payloads.ts`. They have no address, no code and no answer. */
export interface DeliveryPayloads {
  /**
   * A mail was given up. What it was for: `verification` of the address, `password_reset`, an `invitation`, or a `security_notice`.
   */
  "user.email.delivery.failed": { readonly message: string };
  /** As of mails; only codes for the verification go to phones. */
  "user.phone.delivery.failed": { readonly message: string };
  /** After its last try the application had not heard that the session has ended. */
  "application.logout_token.dropped": {
    readonly session_id: string;
    /** What became of the last try: `forbidden`, `unreachable`, `refused`, `held_up` or `process_ended`. */
    readonly cause: string;
  };
}

/** What messages go to at URLs. */
export type DeliveryAggregate = "target" | "hook";

/** The token that a target is checked as from now on, of the editor: as a personal access token made in the same call. */
export interface TargetTokenPayload extends LoginOriginPayload {
  readonly token_id: string;
  /** Absent: it does not expire. */
  readonly expiration_date?: string;
  /** Absent: the call was made with a login. */
  readonly made_with_token_id?: string;
}

/** What a change of a target replaces. */
export interface TargetSettingsPayload {
  readonly name: string;
  readonly url: string;
  /** Types of events, or their beginnings. Empty = all types. */
  readonly event_types: readonly string[];
}

/** The payloads of targets and hooks, with the rules of `payloads.ts`. */
export interface TargetPayloads extends HookPayloads {
  "target.added": TargetSettingsPayload & TargetTokenPayload & { readonly secret_id: string };
  "target.changed": TargetSettingsPayload &
    Partial<TargetTokenPayload> & {
      /** In place of all former signing secrets. Absent: these stay. */
      readonly secret_id?: string;
    };
  "target.secret.added": TargetTokenPayload & { readonly secret_id: string };
  "target.secret.removed": TargetTokenPayload & { readonly secret_id: string };
  "target.deactivated": Readonly<Record<string, never>>;
  "target.reactivated": TargetTokenPayload;
  /** The receiver does not want any more events. */
  "target.gone": Readonly<Record<string, never>>;
  /** From that event on, all are delivered again. */
  "target.redelivery.requested": { readonly from_sequence: string };
  "target.removed": Readonly<Record<string, never>>;
}

/** What a change of a hook replaces. */
export interface HookSettingsPayload {
  readonly name: string;
  readonly url: string;
  readonly timeout_ms: number;
  readonly fail_closed: boolean;
  /** The keys of metadata that it may set. */
  readonly metadata_keys: readonly string[];
}

/** The payloads of hooks, with the rules of `payloads.ts`. */
export interface HookPayloads {
  "hook.added": HookSettingsPayload & { readonly kind: string; readonly secret_id: string };
  "hook.changed": HookSettingsPayload & {
    /** In place of all former signing secrets. Absent: these stay. */
    readonly secret_id?: string;
  };
  "hook.secret.added": { readonly secret_id: string };
  "hook.secret.removed": { readonly secret_id: string };
  "hook.deactivated": Readonly<Record<string, never>>;
  "hook.reactivated": Readonly<Record<string, never>>;
  /** A login was refused. */
  "hook.refused": {
    /** `refused` by the answer, or `failed`: there was none that can be used. */
    readonly cause: string;
    /** Absent: nobody was known yet. */
    readonly user_id?: string;
    /** Absent: it was not about an application. */
    readonly application_id?: string;
  };
  "hook.removed": Readonly<Record<string, never>>;
  /** Empty: what hooks add is told nowhere. */
  "application.hook_claim.set": { readonly claim: string };
}
