import { X509Certificate } from "node:crypto";
import type { Details } from "../../kernel/base/details.ts";
import type { InstanceId, SigningKeyId } from "../../kernel/base/ids.ts";
import { Problem } from "../../kernel/base/problem.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { SigningKeyState } from "./signing-key.ts";

/**
 * A key that signs SAML messages with rsa-sha256. Its private half is the secret `saml-key:<id>`; a retired key has none.
 * At every time at most one is NEXT and, from the first one on, exactly one is ACTIVE.
 */
export interface SamlKey {
  readonly id: SigningKeyId;
  readonly details: Details;
  readonly state: SigningKeyState;
  /** Self-signed X.509, as DER. */
  readonly certificate: Uint8Array;
  /** Until when a retired key is published; undefined for others. */
  readonly expirationMs: number | undefined;
}

/** Service providers read our metadata now and then, so a key is published for so long before it signs. */
const samlPublishedBeforeMs = 24 * 3_600_000;
/** How long a retired key is published after it has signed. */
const samlPublishedAfterMs = 24 * 3_600_000;

/** The secret from which persistent names of users follow. It never changes: each user would be a stranger everywhere. */
export const pairwiseSecretId = "saml-pairwise";

/** One step of a rotation. A key that is revoked is not published from that moment on. */
export type SamlRotationStep =
  | { readonly kind: "add"; readonly state: "NEXT" | "ACTIVE" }
  | { readonly kind: "activate" | "retire" | "revoke" | "remove"; readonly key: SamlKey };

/** Decides whether the first key is missing. */
export function planFirstSamlKey(keys: readonly SamlKey[]): readonly SamlRotationStep[] {
  return keys.some(({ state }) => state === "ACTIVE") ? [] : [{ kind: "add", state: "ACTIVE" }];
}

/** Decides which keys are not published any more. Nothing else follows from the time: service providers pin certificates. */
export function planExpiredSamlKeys(keys: readonly SamlKey[], nowMs: number): readonly SamlRotationStep[] {
  return keys
    .filter(({ expirationMs }) => expirationMs !== undefined && expirationMs <= nowMs)
    .map((key) => ({ kind: "remove", key }));
}

/**
 * Decides a rotation on demand. Without a key that waits, one is made, which does not sign yet. A key that waits signs from now on,
 * if it has been published for a day: raises SAML_KEY_NOT_READY before. `revokeOld` waits for nothing, and nobody is to trust any
 * other key from now on; without a key that waits, a new one signs at once.
 */
export function planSamlRotation(
  keys: readonly SamlKey[],
  { revokeOld, nowMs }: { readonly revokeOld: boolean; readonly nowMs: number },
): readonly SamlRotationStep[] {
  const active = keys.find(({ state }) => state === "ACTIVE");
  const next = keys.find(({ state }) => state === "NEXT");
  if (revokeOld)
    return [
      ...keys.filter(({ state }) => state === "RETIRED").map((key) => ({ kind: "remove", key }) as const),
      ...(active === undefined ? [] : [{ kind: "revoke", key: active } as const]),
      next === undefined ? { kind: "add", state: "ACTIVE" } : { kind: "activate", key: next },
    ];
  if (next === undefined) return [{ kind: "add", state: active === undefined ? "ACTIVE" : "NEXT" }];
  // The log may be a few microseconds ahead of the clock.
  const readyMs = Math.floor(next.details.creationDate / 1000) + samlPublishedBeforeMs;
  if (nowMs < readyMs) throw samlKeyNotReady(readyMs - nowMs);
  return [
    ...(active === undefined ? [] : [{ kind: "retire", key: active } as const]),
    { kind: "activate", key: next },
  ];
}

/** Returns the keys that are published, in the order of the metadata: the one that signs, the next one, those that signed. */
export function publishedSamlKeys(keys: readonly SamlKey[], nowMs: number): readonly SamlKey[] {
  const published = keys.filter(({ expirationMs }) => expirationMs === undefined || expirationMs > nowMs);
  return (["ACTIVE", "NEXT", "RETIRED"] as const).flatMap((state) =>
    published.filter((key) => key.state === state),
  );
}

/** A certificate that service providers may have pinned, and that ends soon. */
export interface EndingCertificate {
  readonly keyId: SigningKeyId;
  /** RFC 3339. */
  readonly notAfterDate: string;
}

const warnedBeforeMs = 60 * 24 * 3_600_000;

/** Lists the certificates of keys that sign, or will, and that end within 60 days or have ended. */
export function endingCertificates(keys: readonly SamlKey[], nowMs: number): readonly EndingCertificate[] {
  return keys
    .filter(({ state }) => state !== "RETIRED")
    .map(({ id, certificate }) => ({ keyId: id, notAfterMs: notAfterMsOf(certificate) }))
    .filter(({ notAfterMs }) => notAfterMs - warnedBeforeMs <= nowMs)
    .map(({ keyId, notAfterMs }) => ({ keyId, notAfterDate: new Date(notAfterMs).toISOString() }));
}

function notAfterMsOf(certificate: Uint8Array): number {
  return new X509Certificate(certificate).validToDate.getTime();
}

/** Decides to add a key. */
export function addSamlKey(key: {
  readonly id: SigningKeyId;
  readonly instanceId: InstanceId;
  readonly state: "NEXT" | "ACTIVE";
  /** A JSON Web Key (RFC 7517). */
  readonly publicKey: object;
  readonly certificate: Uint8Array;
}): NewEvent {
  return {
    type: "signing_key.added",
    aggregateId: key.id,
    resourceOwner: key.instanceId,
    payload: {
      use: "saml",
      algorithm: "RS256",
      public_key: JSON.stringify(key.publicKey),
      state: key.state,
      certificate: Buffer.from(key.certificate).toString("base64"),
    },
  };
}

/** Decides to change the state of a key, or to remove it. */
export function changeSamlKey(
  kind: "activate" | "retire" | "revoke" | "remove",
  key: SamlKey,
  nowMs: number,
): NewEvent {
  const about = { aggregateId: key.id, resourceOwner: key.details.resourceOwner };
  const use = "saml";
  switch (kind) {
    case "activate":
      return { ...about, type: "signing_key.activated", payload: { use } };
    case "retire":
    case "revoke": {
      const expirationMs = kind === "retire" ? nowMs + samlPublishedAfterMs : nowMs;
      const expirationDate = new Date(expirationMs).toISOString();
      return { ...about, type: "signing_key.retired", payload: { use, expiration_date: expirationDate } };
    }
    case "remove":
      return { ...about, type: "signing_key.removed", payload: { use } };
  }
}

/** Returns the id of the secret that holds the private key. */
export function samlKeySecretId(id: string): string {
  return `saml-key:${id}`;
}

function samlKeyNotReady(retryAfterMs: number): Problem {
  return new Problem({
    kind: "precondition",
    reason: "SAML_KEY_NOT_READY",
    message:
      "the next key has been published for less than 24 hours; give service providers time to read the metadata, or revoke the old key",
    retryAfterMs,
  });
}
