import type { GiftClaim } from "../../../identity/logins/authorizations/gift.ts";
import type { PasswordRule } from "../../../identity/people/passwords/password.ts";
import type { Markup } from "../markup/html.ts";
import type { IdentityNames, LinkIdentityTexts, NewIdentityTexts } from "./identity-texts.ts";
import type { PageRefusalKind } from "./page-refusal-kind.ts";

/** A title, and what a person can do. */
export interface ErrorText {
  readonly title: string;
  readonly sentence: string;
}

/** All that the pages say, in one language. Texts that hold a value are functions. */
export interface Texts {
  /** As in the attribute `lang`. */
  readonly language: string;
  /** The name of the instance, which pages show where no organization's name is due. */
  readonly instanceName: string;
  readonly continue: string;
  readonly cancel: string;
  readonly back: string;
  /** The link to the first page of a login, after something went wrong at an identity provider. */
  readonly otherWay: string;
  /** The link to the pages of the account, where no application is to be gone back to. */
  readonly toAccount: string;
  /** On the page that takes the answer to the application, which sends itself if the browser has script. */
  readonly handOver: string;
  readonly requestId: (id: string) => string;
  readonly password: {
    readonly title: string;
    readonly lead: (application: string) => Markup;
    readonly username: string;
    readonly password: string;
    readonly submit: string;
    readonly wrong: string;
    readonly paused: string;
    /** Stands between the form and the buttons of the other ways to log in. */
    readonly or: string;
    /** Where the policy leaves no way to log in. */
    readonly nothing: string;
  };
  readonly identityProviders: {
    /** Names a provider of Google that has no name of its own, in the words that Google asks for. */
    readonly google: string;
  };
  readonly account: {
    readonly title: string;
    readonly lead: (application: string) => Markup;
    readonly use: (name: string) => Markup;
    readonly another: string;
  };
  readonly confirm: {
    readonly title: (application: string) => Markup;
    readonly lead: (names: { readonly application: string; readonly organization: string }) => Markup;
    /** The same, where the application is of the user's organization. */
    readonly leadHome: (names: { readonly application: string; readonly organization: string }) => Markup;
    /** Where the user has said yes to less before. */
    readonly more: string;
    /** Stands before what is new. */
    readonly isNew: string;
    readonly told: string;
    readonly claims: Readonly<Record<GiftClaim, string>>;
    readonly offline: string;
    readonly audiences: string;
    readonly project: (names: { readonly project: string; readonly organization: string }) => Markup;
    /** The API of this service, as an audience. */
    readonly api: string;
  };
  readonly securityKey: {
    readonly needsScript: string;
    readonly waiting: string;
    readonly failed: string;
    readonly unsupported: string;
    readonly name: string;
    readonly defaultName: string;
  };
  readonly passkey: {
    readonly title: string;
    readonly lead: string;
    /** For users who have typed a password, and need two factors. */
    readonly neededLead: string;
    readonly button: string;
    readonly another: string;
    readonly needsScript: string;
    readonly waiting: string;
    readonly failed: string;
    readonly unsupported: string;
    readonly wrong: string;
    readonly paused: string;
  };
  readonly secondFactor: {
    readonly title: string;
    readonly lead: string;
    readonly button: string;
    readonly wrong: string;
    readonly paused: string;
  };
  /** Links to a way of proving a second factor, or of registering one, from the page of another. */
  readonly otherFactor: Readonly<Record<"U2F" | "TOTP" | "RECOVERY_CODE", string>>;
  readonly totp: {
    readonly title: string;
    readonly lead: string;
    readonly code: string;
    readonly submit: string;
    readonly wrong: string;
  };
  readonly recoveryCode: {
    readonly title: string;
    readonly lead: string;
    readonly code: string;
    readonly submit: string;
    readonly wrong: string;
  };
  readonly newTotp: {
    readonly title: string;
    readonly lead: string;
    readonly scan: string;
    /** The text for the QR code, for people that cannot see it. */
    readonly picture: string;
    readonly secret: string;
    readonly code: string;
    readonly submit: string;
    readonly wrong: string;
    readonly expired: string;
  };
  readonly newFactor: {
    readonly title: string;
    readonly lead: string;
    readonly button: string;
    readonly wrong: string;
    readonly taken: string;
    /** Where no second factor can be registered, and nobody can log in without one. */
    readonly impossible: string;
  };
  readonly reviewFactors: {
    readonly title: string;
    readonly lead: string;
    /** Ways to log in that have no name. */
    readonly kinds: Readonly<Record<"U2F" | "TOTP" | "RECOVERY_CODES" | "PASSKEY", string>>;
    readonly added: (day: string) => string;
    /** Names a link to an identity at a provider. */
    readonly identity: (names: IdentityNames) => Markup;
    readonly keep: string;
    readonly remove: string;
    readonly missing: string;
  };
  readonly newPassword: {
    readonly title: string;
    readonly lead: string;
    readonly current: string;
    readonly password: string;
    readonly repeated: string;
    readonly submit: string;
    readonly wrong: string;
    readonly paused: string;
    /** The rules that a new password may break. */
    readonly rules: Readonly<Record<PasswordFault, (minLength: number) => string>>;
  };
  readonly forgottenPassword: {
    /** On the page that asks for the password. */
    readonly link: string;
    readonly title: string;
    readonly lead: string;
    readonly submit: string;
    readonly paused: string;
    /** Once a link was sent, or not. */
    readonly sentTitle: string;
    readonly sent: string;
    readonly sentHint: string;
    readonly back: string;
  };
  readonly resetPassword: {
    readonly title: string;
    readonly lead: string;
    readonly code: string;
    readonly submit: string;
    readonly wrong: string;
    readonly doneTitle: string;
    readonly done: string;
  };
  readonly newIdentity: NewIdentityTexts;
  readonly linkIdentity: LinkIdentityTexts;
  readonly ownFactor: { readonly title: string; readonly lead: string };
  /** The password of a new account. */
  readonly firstPassword: {
    readonly password: string;
    readonly repeated: string;
    readonly atLeast: (minLength: number) => string;
  };
  /** What new users say about themselves. */
  readonly profile: {
    readonly username: string;
    readonly givenName: string;
    readonly familyName: string;
    readonly email: string;
    readonly faults: Readonly<Record<ProfileFault, string>>;
  };
  readonly register: {
    readonly title: string;
    readonly lead: (application: string) => Markup;
    readonly submit: string;
    readonly paused: string;
    /** Leads from here to the page that asks for the password, and from there to here. */
    readonly hasAccount: string;
    readonly signIn: string;
    readonly hasNone: string;
    readonly link: string;
  };
  readonly setup: {
    readonly title: string;
    readonly lead: string;
    readonly submit: string;
    /** The policy of the instance changes with the link, because the new administrator could not sign in by it. */
    readonly opensPolicy: string;
    readonly goneTitle: string;
    readonly gone: string;
    readonly factorLead: string;
    readonly totpLead: string;
    readonly skip: string;
    readonly doneTitle: string;
    readonly done: string;
  };
  readonly device: {
    readonly codeTitle: string;
    readonly codeLead: string;
    readonly code: string;
    readonly wrong: string;
    readonly paused: string;
    readonly title: (application: string) => Markup;
    readonly lead: (names: { readonly application: string; readonly organization: string }) => Markup;
    /** That the code must be on the user's own device. */
    readonly own: string;
    readonly account: (username: string) => Markup;
    readonly allow: string;
    /** What the user learns in the end. */
    readonly ends: Readonly<Record<DeviceEnd, ErrorText>>;
  };
  readonly logout: {
    readonly title: string;
    readonly lead: string;
    readonly submit: string;
    readonly goingOn: string;
    readonly done: ErrorText;
    /** When not every application has heard of it. */
    readonly partial: ErrorText;
  };
  readonly errors: Readonly<Record<PageRefusalKind, ErrorText>>;
}

/** How the login of a device ends. `gone`: the device does not wait any more. */
export type DeviceEnd = "allowed" | "canceled" | "no-access" | "gone";

/** What can be wrong with what people say about themselves. */
export type ProfileFault = "username" | "username_taken" | "given_name" | "family_name" | "email";

/** What can be wrong with a new password. */
export type PasswordFault = PasswordRule | "not_repeated" | "same";
