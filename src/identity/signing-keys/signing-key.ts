import { type InstanceId, type SigningKeyId, toId } from "../../kernel/base/ids.ts";
import type { Details } from "../../kernel/base/details.ts";
import type { Random } from "../../kernel/base/random.ts";
import type { NewEvent } from "../../kernel/events/event.ts";

/** The algorithms that tokens are signed with (RFC 7518 §3.1, RFC 8037 §3.1). EDDSA is Ed25519. */
export const signingAlgorithms = ["RS256", "ES256", "EDDSA"] as const;
/** One of them. */
export type SigningAlgorithm = (typeof signingAlgorithms)[number];

/** NEXT is published but does not sign yet; ACTIVE signs; RETIRED is published for what it has signed. */
export type SigningKeyState = "NEXT" | "ACTIVE" | "RETIRED";

/** A key that signs tokens. Its private half is the secret `signing-key:<id>`; a retired key has none. */
export interface SigningKey {
  /** The `kid` of what it signs. */
  readonly id: SigningKeyId;
  readonly details: Details;
  readonly algorithm: SigningAlgorithm;
  readonly state: SigningKeyState;
  /** A JSON Web Key (RFC 7517) without private members. */
  readonly publicKey: Readonly<Record<string, unknown>>;
  /** Until when a retired key is published; undefined for others. */
  readonly expirationMs: number | undefined;
}

const hourMs = 3_600_000;
/** Clients remember the published keys, so a key is published for so long before it signs. */
const publishedBeforeMs = 24 * hourMs;
/** How long a key signs. */
const activeMs = 90 * 24 * hourMs;
/** A retired key is published until the longest-lived token (12 hours) has expired, and an hour more. */
const publishedAfterMs = 13 * hourMs;

/** One step of a rotation. */
export type RotationStep =
  | { readonly kind: "add"; readonly algorithm: SigningAlgorithm; readonly state: "NEXT" | "ACTIVE" }
  | { readonly kind: "activate" | "retire" | "remove"; readonly key: SigningKey };

/** Decides which keys are missing: before anything is signed or published, each algorithm gets a key. */
export function planFirstKeys(keys: readonly SigningKey[]): readonly RotationStep[] {
  return signingAlgorithms.flatMap((algorithm) =>
    keys.some((key) => key.algorithm === algorithm && key.state !== "RETIRED")
      ? []
      : [{ kind: "add", algorithm, state: "ACTIVE" } as const],
  );
}

/** Decides what time demands: none without keys, because the first ones are made when they are asked for. */
export function planDueSteps(keys: readonly SigningKey[], nowMs: number): readonly RotationStep[] {
  return signingAlgorithms.flatMap((algorithm) => {
    const own = keys.filter((key) => key.algorithm === algorithm);
    const active = own.find(({ state }) => state === "ACTIVE");
    const next = own.find(({ state }) => state === "NEXT");
    const steps: RotationStep[] = own
      .filter(({ expirationMs }) => expirationMs !== undefined && expirationMs <= nowMs)
      .map((key) => ({ kind: "remove", key }));
    if (next !== undefined && nowMs >= toMs(next.details.creationDate) + publishedBeforeMs) {
      if (active !== undefined) steps.push({ kind: "retire", key: active });
      steps.push({ kind: "activate", key: next });
    } else if (next === undefined && active !== undefined) {
      // The last event of an active key is the one from which on it signs.
      const isEnding = nowMs >= toMs(active.details.sequence) + activeMs - publishedBeforeMs;
      if (isEnding) steps.push({ kind: "add", algorithm, state: "NEXT" });
    }
    return steps;
  });
}

/** Decides to rotate on demand: new keys that sign in a day, or at once in place of all keys that there are. */
export function planRotation(
  keys: readonly SigningKey[],
  { revokeOld }: { readonly revokeOld: boolean },
): readonly RotationStep[] {
  if (revokeOld) {
    const added = signingAlgorithms.map(
      (algorithm) => ({ kind: "add", algorithm, state: "ACTIVE" }) as const,
    );
    return [...keys.map((key) => ({ kind: "remove", key }) as const), ...added];
  }
  return signingAlgorithms.flatMap((algorithm) => {
    const has = (state: SigningKeyState) =>
      keys.some((key) => key.algorithm === algorithm && key.state === state);
    if (has("NEXT")) return [];
    return [{ kind: "add", algorithm, state: has("ACTIVE") ? "NEXT" : "ACTIVE" } as const];
  });
}

/** What these keys sign, in the words of their events. */
const use = "oidc";

/** Draws the id of a new key, which says nothing about it. */
export function newSigningKeyId(random: Random): SigningKeyId {
  return toId(Buffer.from(random.bytes(16)).toString("base64url"));
}

/** Decides to add a key. */
export function addSigningKey(key: {
  readonly id: SigningKeyId;
  readonly instanceId: InstanceId;
  readonly algorithm: SigningAlgorithm;
  readonly state: "NEXT" | "ACTIVE";
  readonly publicKey: object;
}): NewEvent {
  return {
    type: "signing_key.added",
    aggregateId: key.id,
    resourceOwner: key.instanceId,
    payload: { use, algorithm: key.algorithm, public_key: JSON.stringify(key.publicKey), state: key.state },
  };
}

/** Decides to change the state of a key, or to remove it. */
export function changeSigningKey(
  kind: "activate" | "retire" | "remove",
  key: SigningKey,
  nowMs: number,
): NewEvent {
  const about = { aggregateId: key.id, resourceOwner: key.details.resourceOwner };
  switch (kind) {
    case "activate":
      return { ...about, type: "signing_key.activated", payload: { use } };
    case "retire": {
      const expirationDate = new Date(nowMs + publishedAfterMs).toISOString();
      return { ...about, type: "signing_key.retired", payload: { use, expiration_date: expirationDate } };
    }
    case "remove":
      return { ...about, type: "signing_key.removed", payload: { use } };
  }
}

/** Returns the id of the secret that holds the private key. */
export function signingKeySecretId(id: string): string {
  return `signing-key:${id}`;
}

/** Converts the instant of an event, which may be a few microseconds ahead of the clock. */
function toMs(micros: number): number {
  return Math.floor(micros / 1000);
}
