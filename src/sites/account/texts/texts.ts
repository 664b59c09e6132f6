import type { SessionMethod } from "../../../identity/logins/sessions/session.ts";
import type { Markup } from "../../login/markup/html.ts";

/** What the pages of the account say, in one language. Texts that hold a value are functions. */
export interface AccountTexts {
  /** The heading of the first page, to which all others lead back. */
  readonly title: string;
  readonly back: string;
  readonly lead: (name: string) => Markup;
  readonly more: string;
  readonly remove: string;
  readonly signOut: string;
  /** Where something is not known, or not set. */
  readonly unknown: string;
  readonly verified: string;
  readonly unverified: string;
  /** The places that the first page leads to, with what each is for. */
  readonly places: Readonly<Record<PlaceName, PlaceText>>;
  readonly profile: {
    readonly lead: string;
    readonly labels: Readonly<Record<ProfileField, string>>;
  };
  readonly phone: {
    readonly lead: string;
    readonly label: string;
    readonly example: string;
    readonly set: string;
    readonly replace: string;
    readonly remove: string;
  };
  readonly email: {
    readonly lead: string;
    readonly label: string;
    readonly replace: string;
    readonly set: string;
    readonly same: string;
  };
  /** About the code that was sent to a phone or an email address. */
  readonly codes: {
    readonly lead: (address: string) => Markup;
    readonly code: string;
    readonly verify: string;
    readonly resend: string;
  };
  readonly password: {
    readonly lead: string;
    readonly changed: (date: string) => string;
    readonly submit: string;
    readonly none: string;
  };
  readonly passkeys: {
    readonly lead: string;
    readonly none: string;
    readonly added: (date: string) => string;
    /** Follows when it was added. */
    readonly copied: string;
    readonly add: string;
    readonly newTitle: string;
    readonly newLead: string;
    readonly name: string;
    readonly defaultName: string;
    readonly button: string;
    readonly wrong: string;
    /** The browser has none to offer, or its user has cancelled. */
    readonly failed: string;
    readonly impossible: string;
    readonly removeTitle: string;
    readonly removeLead: (name: string) => Markup;
  };
  readonly factors: {
    readonly lead: string;
    readonly none: string;
    readonly added: (date: string) => string;
    readonly app: string;
    readonly add: string;
    readonly addApp: string;
    readonly newLead: string;
    readonly impossible: string;
    readonly removeTitle: string;
    readonly removeLead: (name: string) => Markup;
    /** Where there are no recovery codes yet, above the link to them. */
    readonly codesLead: string;
    readonly makeCodes: string;
  };
  readonly recoveryCodes: {
    readonly lead: string;
    readonly none: string;
    readonly made: (date: string, remaining: number) => string;
    readonly make: string;
    readonly replace: string;
    readonly remove: string;
    /** Above new codes, which are shown once. */
    readonly keep: string;
    readonly kept: string;
  };
  readonly links: {
    readonly lead: string;
    readonly none: string;
    readonly made: (date: string) => string;
    readonly remove: (name: string) => Markup;
  };
  readonly sessions: {
    readonly lead: string;
    readonly current: string;
    readonly begun: (date: string) => string;
    readonly from: (address: string) => string;
    readonly by: (methods: string) => string;
    readonly end: (browser: string) => string;
    readonly endOthers: string;
    readonly othersLead: string;
    readonly browser: (names: { readonly browser: string; readonly system: string }) => string;
    readonly unknownBrowser: string;
    readonly methods: Readonly<Record<SessionMethod, string>>;
  };
  readonly applications: {
    readonly lead: string;
    readonly none: string;
    readonly since: (date: string) => string;
    readonly onlyThen: string;
    readonly remove: (application: string) => Markup;
  };
  readonly tokens: {
    readonly lead: string;
    readonly none: string;
    readonly name: (id: string) => string;
    readonly made: (date: string) => string;
    readonly expires: (date: string) => string;
    readonly forever: string;
    readonly remove: (name: string) => string;
  };
  readonly outdated: OfferText;
  readonly refused: OfferText;
  readonly tooWeak: { readonly title: string; readonly lead: string };
  /** The rest of the page is the same for every logout. */
  readonly signedOut: Pick<OfferText, "again">;
  readonly done: Readonly<Record<DoneName, string>>;
  readonly faults: Readonly<Record<FaultReason, string>>;
}

/** A place of the account: the heading of its page, and a line about it. */
export interface PlaceText {
  readonly title: string;
  readonly hint: string;
}

/** A page with a way on. */
interface OfferText {
  readonly title: string;
  readonly lead: string;
  readonly again: string;
}

/** The places of the account, by the paths of their pages. */
export type PlaceName =
  | "profile"
  | "email"
  | "phone"
  | "password"
  | "passkeys"
  | "factors"
  | "recovery-codes"
  | "links"
  | "sessions"
  | "applications"
  | "tokens";

/** What the page of personal data shows. */
export type ProfileField = "username" | "displayName" | "name" | "email" | "language" | "organization";

/** What the next page says was done. */
export type DoneName =
  | "password-set"
  | "email-set"
  | "email-verified"
  | "phone-set"
  | "phone-verified"
  | "phone-removed"
  | "code-sent"
  | "passkey-added"
  | "passkey-removed"
  | "factor-added"
  | "factor-removed"
  | "codes-removed"
  | "link-removed"
  | "session-ended"
  | "sessions-ended"
  | "application-removed"
  | "token-removed";

/** Reasons of problems that the user can do something about. */
export type FaultReason =
  | "ALREADY_EXISTS"
  | "CODE_EXHAUSTED"
  | "CODE_EXPIRED"
  | "CODE_INVALID"
  | "CODE_NOT_PENDING"
  | "FIELD_INVALID"
  | "LIMIT_REACHED"
  | "LOCKS_OUT"
  | "LOGIN_PAUSED"
  | "MAIL_NOT_CONFIGURED"
  | "PASSWORD_INVALID"
  | "RATE_LIMITED"
  | "SMS_NOT_CONFIGURED"
  | "TOTP_INVALID"
  | "U2F_CHALLENGE_INVALID";
