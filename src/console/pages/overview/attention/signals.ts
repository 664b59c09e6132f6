import type { Event } from "../../../../../gen/console/gatehouse/v1/event_pb.ts";

/** What may need attention. */
export type AttentionKind =
  | "token"
  | "key"
  | "secret"
  | "application-key"
  | "locked"
  | "factor"
  | "metadata"
  | "mail"
  | "sms"
  | "logout";

/** An event after which something may need attention. Whether it still does must be read from the object. */
export interface Signal {
  readonly kind: AttentionKind;
  /** The user or the application. */
  readonly ownerId: string;
  readonly organizationId: string;
  /** The token, key, secret or factor; empty where it is about the object itself. */
  readonly itemId: string;
  /** When it expires or has expired, in milliseconds; undefined where nothing does. */
  readonly expiryMs: number | undefined;
  readonly sequence: bigint;
}

/** Which events are looked at. */
export interface SignalType {
  readonly eventType: string;
  readonly kind: AttentionKind;
  /** The field of the payload that names what belongs to the object. */
  readonly itemField?: string;
  readonly expires?: boolean;
  /** How far back is looked; absent: as far as the log goes. */
  readonly days?: number;
}

/** The events after which something may need attention. */
export const signalTypes: readonly SignalType[] = [
  { eventType: "user.token.added", kind: "token", itemField: "token_id", expires: true },
  { eventType: "user.key.added", kind: "key", itemField: "key_id", expires: true },
  { eventType: "user.secret.set", kind: "secret", itemField: "secret_id", expires: true },
  { eventType: "application.key.added", kind: "application-key", itemField: "key_id", expires: true },
  { eventType: "user.locked", kind: "locked", days: 90 },
  { eventType: "user.u2f.added", kind: "factor", itemField: "u2f_id", days: 30 },
  { eventType: "user.totp.added", kind: "factor", itemField: "totp_id", days: 30 },
  { eventType: "application.metadata.failed", kind: "metadata", days: 90 },
  { eventType: "user.email.delivery.failed", kind: "mail", days: 7 },
  { eventType: "user.phone.delivery.failed", kind: "sms", days: 7 },
  { eventType: "application.logout_token.dropped", kind: "logout", days: 7 },
];

const dayMs = 86_400_000;
/** What expires within as many days is shown, and what expired as many days ago. */
const noticeDays = 30;

/** Reads what may need attention from events of a type: one signal for each object, the newest, in the order of the events. */
export function toSignals(events: readonly Event[], type: SignalType, nowMs: number): readonly Signal[] {
  const seen = new Set<string>();
  return events
    .map((event) => toSignal(event, type))
    .filter(({ ownerId, itemId, expiryMs }) => {
      const name = `${ownerId} ${itemId}`;
      const isFirst = !seen.has(name);
      seen.add(name);
      return isFirst && (type.expires !== true || isNear(expiryMs, nowMs));
    });
}

/** Says whether it is a delivery that has failed, which nothing undoes: it is shown until it is too long ago. */
export function isFailedDelivery(kind: AttentionKind): boolean {
  return kind === "mail" || kind === "sms" || kind === "logout";
}

/** Says whether it expires soon, or expired lately. */
export function isNear(expiryMs: number | undefined, nowMs: number): boolean {
  return expiryMs !== undefined && Math.abs(expiryMs - nowMs) <= noticeDays * dayMs;
}

/** Returns the sequence behind which events of the type are looked at. */
export function floorOf({ days }: SignalType, nowMs: number): bigint {
  return days === undefined ? 0n : BigInt(nowMs - days * dayMs) * 1000n;
}

function toSignal(event: Event, { kind, itemField }: SignalType): Signal {
  const { aggregateId, resourceOwner, sequence, payload = {} } = event;
  const item = itemField === undefined ? undefined : payload[itemField];
  const expiry = payload["expiration_date"];
  const expiryMs = typeof expiry === "string" ? Date.parse(expiry) : Number.NaN;
  return {
    kind,
    ownerId: aggregateId,
    organizationId: resourceOwner,
    itemId: typeof item === "string" ? item : "",
    expiryMs: Number.isNaN(expiryMs) ? undefined : expiryMs,
    sequence,
  };
}
