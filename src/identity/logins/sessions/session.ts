import type { Details } from "../../../kernel/base/details.ts";
import type {
  ApplicationId,
  IdentityLinkId,
  IdentityProviderId,
  OrganizationId,
  PasskeyId,
  RecoveryCodesId,
  SecondFactorId,
  SessionId,
  UserId,
} from "../../../kernel/base/ids.ts";
import { notFound, type Problem } from "../../../kernel/base/problem.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";
import type { EventPayloads, ProvedLinkPayload, SessionEnd } from "../../../kernel/events/payloads.ts";

/** What users prove their identity with. */
export const sessionMethods = [
  "PASSWORD",
  "U2F",
  "PASSKEY",
  "TOTP",
  "RECOVERY_CODE",
  "IDP",
  "EMAIL_CODE",
  "SMS_CODE",
] as const;
/** One of them. */
export type SessionMethod = (typeof sessionMethods)[number];

/** With one of these a login begins. The others are asked for besides. */
const firstFactors = new Set<SessionMethod>(["PASSWORD", "PASSKEY", "IDP"]);
/** These count as two factors together with a first one; codes that are sent do not, to anybody outside the login pages. */
const secondFactors = new Set<SessionMethod>(["U2F", "TOTP", "RECOVERY_CODE"]);

/** Says whether a login can begin with a method. */
export function isFirstFactor(method: string): boolean {
  return [...firstFactors].some((each) => each === method);
}

/** What was proved in a session, and when it was proved last. */
export interface SessionCheck {
  readonly method: SessionMethod;
  readonly dateMs: number;
  /** The identity provider, as it names itself. Undefined for other methods, and where it was not recorded yet. */
  readonly issuer?: string | undefined;
}

/** A session of a user in a browser. It begins once all that is asked of the user is proved. */
export interface UserSession {
  readonly id: SessionId;
  readonly details: Details;
  /** TERMINATED ones stay until their user is removed. */
  readonly state: "ACTIVE" | "TERMINATED";
  readonly userId: UserId;
  /** Each method once, in the order in which they were proved first. */
  readonly checks: readonly SessionCheck[];
  /** Empty when it is unknown, or the key of the user is destroyed. */
  readonly userAgent: string;
  /** As `userAgent`. */
  readonly remoteAddress: string;
  /** Ends then at the latest. */
  readonly expirationMs: number;
}

/** A session that holds at this moment, with its user. */
export interface LiveSession {
  readonly session: UserSession;
  readonly user: {
    readonly id: UserId;
    readonly organizationId: OrganizationId;
    /** How often the user was locked. */
    readonly lockCount: number;
  };
  /** When the user logged in last. */
  readonly authTimeMs: number;
  /** What the user proved at that login, and since. */
  readonly methods: readonly SessionMethod[];
}

/** A proof that is to be recorded. */
export interface NewCheck {
  readonly method: SessionMethod;
  /** The factor that was used, and the counter that it sent; absent for methods that have none. */
  readonly factor?: { readonly id: SecondFactorId | PasskeyId; readonly counter: number } | undefined;
  /** When an identity provider let the user in, if it says so: not later than the check is recorded. */
  readonly authTimeMs?: number | undefined;
  /** As of SessionCheck. */
  readonly issuer?: string | undefined;
  /** The link with which an identity at a provider is the user's; absent for other methods. */
  readonly link?: ProvedLink | undefined;
  /** The codes of which one was used; absent for other methods. It is not recorded. */
  readonly codesId?: RecoveryCodesId | undefined;
}

/** A link that a login was made with. */
export interface ProvedLink {
  readonly id: IdentityLinkId;
  readonly providerId: IdentityProviderId;
}

/** What a session begins with. */
export interface NewSession {
  readonly id: SessionId;
  readonly userId: UserId;
  /** The organization of the user. */
  readonly organizationId: OrganizationId;
  readonly applicationId?: ApplicationId | undefined;
  /** At least one. */
  readonly checks: readonly NewCheck[];
  readonly userAgent?: string | undefined;
  readonly remoteAddress?: string | undefined;
  readonly expirationMs: number;
}

/** A header may be of any length. */
const maxUserAgentLength = 500;

/** Decides to begin a session. Its value for the browser is stored beside, by `putSessionValue`. */
export function startSession(session: NewSession): readonly NewEvent[] {
  const { id, organizationId, applicationId, checks, userAgent, remoteAddress } = session;
  const about = { aggregateId: id, resourceOwner: organizationId };
  return [
    {
      ...about,
      type: "session.added",
      payload: {
        user_id: session.userId,
        ...(applicationId === undefined ? {} : { application_id: applicationId }),
        methods: [...new Set(checks.map(({ method }) => method))],
        ...toLinkPayload(checks.find(({ link }) => link !== undefined)),
        expiration_date: new Date(session.expirationMs).toISOString(),
        ...(userAgent === undefined ? {} : { user_agent: userAgent.slice(0, maxUserAgentLength) }),
        ...(remoteAddress === undefined ? {} : { remote_address: remoteAddress }),
      },
    },
    // The methods alone stand above. Whatever else is to be remembered of a check stands in an event of its own.
    ...toCheckEvents(
      about,
      checks.filter((check) =>
        [check.factor, check.authTimeMs, check.issuer].some((each) => each !== undefined),
      ),
    ),
  ];
}

/** Decides to record what was proved in a session that exists. */
export function addSessionChecks(
  session: Pick<UserSession, "id" | "details">,
  checks: readonly NewCheck[],
): readonly NewEvent[] {
  return toCheckEvents(aggregateOf(session), checks);
}

/** Decides to end a session. */
export function terminateSession(session: Pick<UserSession, "id" | "details">, reason: SessionEnd): NewEvent {
  return { ...aggregateOf(session), type: "session.terminated", payload: { reason } };
}

/** A login may take so long, from its first check to its last. */
const loginMs = 900_000;

/** Says when the user of a session logged in last, and what was proved then and since. */
export function toLogin(checks: readonly SessionCheck[]): Pick<LiveSession, "authTimeMs" | "methods"> {
  const begun = checks.filter(({ method }) => firstFactors.has(method));
  const authTimeMs = Math.max(...(begun.length === 0 ? checks : begun).map(({ dateMs }) => dateMs));
  const recent = checks.filter(({ dateMs }) => dateMs > authTimeMs - loginMs);
  return { authTimeMs, methods: recent.map(({ method }) => method) };
}

/** Says whether the methods are two factors: one besides the first, or a passkey, which demands that its user is verified. */
export function isMultiFactor(methods: readonly SessionMethod[]): boolean {
  return methods.includes("PASSKEY") || methods.some((method) => secondFactors.has(method));
}

/** Returns the problem of a session that does not exist, or is out of reach. */
export function sessionNotFound(id: string): Problem {
  return notFound("session", id);
}

function toCheckEvents(
  about: { readonly aggregateId: string; readonly resourceOwner: string },
  checks: readonly NewCheck[],
): readonly NewEvent[] {
  return checks.map((check) => ({ ...about, type: "session.checked", payload: toCheckPayload(check) }));
}

function toCheckPayload(check: NewCheck): EventPayloads["session.checked"] {
  const { method, factor, authTimeMs, issuer } = check;
  return {
    method,
    ...toLinkPayload(check),
    ...(factor === undefined ? {} : { factor_id: factor.id, counter: String(factor.counter) }),
    ...(authTimeMs === undefined ? {} : { auth_date: new Date(authTimeMs).toISOString() }),
    ...(issuer === undefined ? {} : { issuer }),
  };
}

function toLinkPayload(check: Pick<NewCheck, "link"> | undefined): ProvedLinkPayload {
  const { link } = check ?? {};
  return link === undefined ? {} : { link_id: link.id, idp_id: link.providerId };
}

function aggregateOf({ id, details }: Pick<UserSession, "id" | "details">) {
  return { aggregateId: id, resourceOwner: details.resourceOwner };
}

/** Says whether a login began at an identity provider alone, with no password or passkey of ours. */
export function isByProviderAlone(methods: readonly string[]): boolean {
  return methods.includes("IDP") && !methods.includes("PASSWORD") && !methods.includes("PASSKEY");
}
