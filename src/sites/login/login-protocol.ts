import type { ReadTransaction, WriteTransaction } from "../../kernel/base/database.ts";
import type { InteractionId, UserId } from "../../kernel/base/ids.ts";
import type { NewEvent } from "../../kernel/events/event.ts";
import type { ApiTarget } from "../../identity/applications/api/target-repository.ts";
import type { Application } from "../../identity/applications/application.ts";
import type { Gift } from "../../identity/logins/authorizations/gift.ts";
import type { HookSession } from "../../identity/hooks/calls/ask-hooks.ts";
import type { Organization } from "../../identity/organizations/organization.ts";
import type { Project } from "../../identity/projects/project.ts";
import type { LiveSession } from "../../identity/logins/sessions/session.ts";
import type { HumanUser } from "../../identity/people/user/user.ts";
import type { ComingAnswer } from "./browser-answer.ts";
import type { LoginRequest } from "./login-request.ts";

/** Why there is no login, in the words of OpenID Connect Core §3.1.2.6 and RFC 6749 §4.1.2.1. */
export type LoginRefusal =
  | "login_required"
  | "consent_required"
  | "interaction_required"
  | "account_selection_required"
  | "access_denied"
  | "temporarily_unavailable"
  | "server_error";

/** A login that is complete: all that is required of the user was proved. */
export interface CompletedLogin {
  readonly request: LoginRequest;
  /** The session, which may begin in this very write. */
  readonly session: LiveSession;
  /** What the user has confirmed on a page of this login; undefined: there was none. */
  readonly confirmed: Gift | undefined;
  /** Whether a page was shown for this login. */
  readonly hadPage: boolean;
  readonly issuer: string;
  readonly requestId: string;
  /** What hooks are asked with. */
  readonly hooks: HookSession;
}

/** What an application would be given by a login, and the names of the projects and the APIs in it. */
export interface AskedGift {
  readonly gift: Gift;
  readonly projects: readonly {
    readonly id: string;
    readonly name: string;
    readonly organizationName: string;
  }[];
  /** Default: none. */
  readonly apis?: readonly Pick<ApiTarget, "id" | "name" | "scopes" | "project" | "organization">[];
  /** Present for a client that nobody has created. */
  readonly stranger?: Stranger | undefined;
}

/** What users can know of a client that nobody has created, besides the name that it gives itself. */
export interface Stranger {
  /** Where its document is; undefined: it has registered itself. */
  readonly host: string | undefined;
  /** Where the browser goes with the answer: a host, or the scheme of an app. */
  readonly returnsTo: string;
  /** Whether any program on the device of the user may be there. */
  readonly isOnDevice: boolean;
  /** Since when it is what it is now, in milliseconds since 1970. */
  readonly sinceMs: number;
}

/** A user who logs in to an application. */
export interface GiftQuestion {
  readonly request: LoginRequest;
  readonly application: {
    readonly application: Application;
    readonly project: Project;
    readonly organization: Organization;
  };
  readonly user: { readonly user: HumanUser; readonly organization: Organization };
}

/** The protocol in which an application asked for a login: it answers the application. */
export interface LoginProtocol {
  /**
   * Ends a login in the write `tx`: checks that the user may use the application, and makes the answer that the browser takes there.
   * Returns it with the events to record.
   */
  finish(
    tx: WriteTransaction,
    login: CompletedLogin,
  ): Promise<{ readonly answer: ComingAnswer; readonly events: readonly NewEvent[] }>;
  /** Whether what it gives is always for the application alone: its own organization's users are not asked. Default: not always. */
  readonly staysHome?: true;
  /** Lists what the application would be given at this instant: by its request, its settings and the settings of its project. */
  listGift(tx: ReadTransaction, question: GiftQuestion): Promise<AskedGift>;
  /**
   * Finds where a page of an error leads back to the application: a URL that is registered for it at this moment. Undefined if there
   * is none, or the application is not answered any more.
   */
  findWayBack(tx: ReadTransaction, request: LoginRequest, issuer: string): Promise<string | undefined>;
  /** Makes the answer that the browser takes to the application when there is no login, in the write `tx` that ends it. */
  refuse(
    tx: WriteTransaction,
    refused: {
      readonly request: LoginRequest;
      readonly refusal: LoginRefusal;
      readonly issuer: string;
    },
  ): Promise<ComingAnswer>;
  /**
   * Returns the path, below the issuer, at which the browser comes back by GET: an answer is never the body of a POST, and a login
   * that ends with one, or begins with one, goes there. Undefined: any request may have the answer, and one that came by POST goes on
   * at `/login/{id}/continue`.
   */
  readonly pathOfAnswer?: (id: InteractionId) => string;
  /** Says whether the application asks for that user, or for nobody in particular. Undefined: `subject` of the request says it. */
  readonly isMeant?: (
    tx: ReadTransaction,
    asked: { readonly request: LoginRequest; readonly userId: UserId; readonly issuer: string },
  ) => Promise<boolean>;
}
