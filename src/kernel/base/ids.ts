import type { Clock } from "./clock.ts";
import type { Random } from "./random.ts";

type Id<Noun extends string> = string & { readonly __id: Noun };

/** The id of each kind of object. One kind does not compile where another is expected. */
export type InstanceId = Id<"instance">;
export type OrganizationId = Id<"organization">;
export type MembershipId = Id<"membership">;
export type IdentityProviderId = Id<"identity_provider">;
export type UserId = Id<"user">;
export type SecondFactorId = Id<"second_factor">;
export type PasskeyId = Id<"passkey">;
export type RecoveryCodesId = Id<"recovery_codes">;
export type IdentityLinkId = Id<"idp_link">;
export type TokenId = Id<"personal_access_token">;
export type ProjectId = Id<"project">;
export type ProjectGrantId = Id<"project_grant">;
export type UserGrantId = Id<"user_grant">;
export type GroupId = Id<"group">;
export type GroupGrantId = Id<"group_grant">;
export type ApplicationId = Id<"application">;
export type SigningKeyId = Id<"signing_key">;
export type SessionId = Id<"session">;
export type AuthorizationId = Id<"authorization">;
export type LoginPolicyId = Id<"login_policy">;
export type LabelPolicyId = Id<"label_policy">;
export type CustomTextsId = Id<"custom_texts">;
export type ExternalClientsId = Id<"external_clients">;
export type TargetId = Id<"target">;
export type TargetSecretId = Id<"target_secret">;
export type HookId = Id<"hook">;
export type HookSecretId = Id<"hook_secret">;
export type InteractionId = Id<"interaction">;
/** The id of an object of any kind. */
export type AnyId =
  | InstanceId
  | OrganizationId
  | MembershipId
  | IdentityProviderId
  | UserId
  | SecondFactorId
  | PasskeyId
  | RecoveryCodesId
  | IdentityLinkId
  | TokenId
  | ProjectId
  | ProjectGrantId
  | UserGrantId
  | GroupId
  | GroupGrantId
  | ApplicationId
  | SigningKeyId
  | SessionId
  | AuthorizationId
  | LoginPolicyId
  | LabelPolicyId
  | CustomTextsId
  | ExternalClientsId
  | TargetId
  | TargetSecretId
  | HookId
  | HookSecretId
  | InteractionId;

/** Makes ids: 63-bit positive numbers as decimal strings. An id is unique, never reused and not secret. */
export interface IdGenerator {
  next<T extends AnyId>(): T;
}

/**
 * Takes a caller's text as an id. Accepts any text: one that is not an id names no object, so the look-up that
 * follows raises NOT_FOUND as for any absent object.
 */
export function toId<T extends AnyId>(text: string): T {
  return text as T; // the one place where a plain string becomes an id
}

const epochMs = Date.UTC(2026, 0, 1);
const randomBits = 22;
/** Of these bits, the lowest say which of several processes has made an id. */
const slotBits = 6;

/** Returns the smallest id of a millisecond; 0 for one before 2026. */
export function idAt(ms: number): bigint {
  return BigInt(Math.max(ms - epochMs, 0)) << BigInt(randomBits);
}

/**
 * Returns a generator of ids: milliseconds since 2026-01-01 in the upper bits, 22 random bits below. `floorMs` is an
 * instant up to which ids may already have been given (the date of the last event): the generator starts after it, so
 * a clock that was set back cannot repeat an id. `slot`, below 64, is what no other process has that makes ids at the same time.
 */
export function createIdGenerator(options: {
  readonly clock: Clock;
  readonly random: Random;
  readonly floorMs: number;
  readonly slot?: number | undefined;
}): IdGenerator {
  const { slot } = options;
  const space = 2 ** (slot === undefined ? randomBits : randomBits - slotBits);
  const draw = () => options.random.below(space);
  const drawsPerMs = space / 2; // so that drawing again stays cheap
  let currentMs = Math.max(options.floorMs, epochMs);
  let drawn = new Set<number>();
  return {
    next<T extends AnyId>(): T {
      const nowMs = options.clock.nowMs();
      if (nowMs > currentMs || drawn.size >= drawsPerMs || drawn.size === 0) {
        currentMs = Math.max(nowMs, currentMs + 1);
        drawn = new Set();
      }
      let drawnNow = draw();
      while (drawn.has(drawnNow)) drawnNow = draw();
      drawn.add(drawnNow);
      const low = slot === undefined ? drawnNow : drawnNow * 2 ** slotBits + slot;
      return toId<T>((idAt(currentMs) | BigInt(low)).toString());
    },
  };
}
