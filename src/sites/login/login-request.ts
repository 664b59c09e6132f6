import type { ApplicationId, OrganizationId } from "../../kernel/base/ids.ts";

/** What an application may ask of the pages (OpenID Connect Core §3.1.2.1; Initiating User Registration §3 for "create"). */
export type LoginPrompt = "none" | "login" | "select_account" | "consent" | "create";

/** A login that an application or a page of ours has asked for, already checked by its protocol. It can be written as JSON. */
export interface LoginRequest {
  readonly protocol: "oidc" | "saml" | "device" | "account";
  /** Undefined: pages of ours have asked. The policy and the name of the instance apply to them, and to the console. */
  readonly applicationId?: ApplicationId | undefined;
  /** Only users of this organization may log in; undefined: those of any. */
  readonly organizationId: OrganizationId | undefined;
  /** The identity provider that the browser is sent to without a page of ours, if the login offers it. Default: none. */
  readonly identityProviderId?: string | undefined;
  readonly prompts: readonly LoginPrompt[];
  /** How long ago the user may have logged in; undefined: whenever. */
  readonly maxAgeSeconds: number | undefined;
  /** Fills the field for the name. */
  readonly loginHint: string | undefined;
  /** Languages that the user prefers, the best one first. */
  readonly uiLocales: readonly string[];
  /** Whether two factors are asked for. */
  readonly wantsMfa: boolean;
  /** The id of the only user who may log in; undefined: any. */
  readonly subject: string | undefined;
  /** The code of the subject's invitation, which links the identity that they come back with to them. Default: there is none. */
  readonly invitationCode?: string | undefined;
  /** What the application asks for, in the words of its protocol: a page that asks the user names it. */
  readonly scopes: readonly string[];
  /** The applications of the APIs that it names. Default: none. */
  readonly resources?: readonly string[] | undefined;
  /** The code that a device shows, which the user compares with what a page says; undefined where no device is logged in. */
  readonly userCode?: string;
  /** Data that the protocol needs for its answer, and that nothing else reads. */
  readonly data: unknown;
}

/** Returns the application that has asked for a login. Throws when pages of ours have: no other protocol than theirs answers them. */
export function requireApplicationId({ applicationId }: LoginRequest): ApplicationId {
  if (applicationId === undefined) throw new Error("the login is not for an application");
  return applicationId;
}
