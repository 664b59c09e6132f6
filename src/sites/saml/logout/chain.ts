import type { ApplicationId, SessionId } from "../../../kernel/base/ids.ts";
import type { SamlNameId } from "../../../identity/logins/saml-participations/saml-participation.ts";

/** The service provider that gets the answer when all others that can be notified have been. */
export type LogoutAsker =
  | {
      readonly kind: "service-provider";
      readonly applicationId: ApplicationId;
      /** The ID of its LogoutRequest. */
      readonly requestId: string;
      readonly binding: "redirect" | "post";
      /** As it was encoded. */
      readonly relayState: string | undefined;
    }
  /** A page of ours: its path, with the query if there is one. */
  | { readonly kind: "page"; readonly path: string };

/** An application that took part in a session that has ended, as it knows the user and the session. */
export interface LogoutMember {
  readonly applicationId: ApplicationId;
  readonly sessionId: SessionId;
  /** The name by which it is asked. */
  readonly nameId: SamlNameId;
  /** Names that it was given before, the last first: by them it is asked next, unless it ends its session before. */
  readonly otherNames: readonly SamlNameId[];
  readonly sessionIndex: string;
}

/** The applications of one session, which only the browser of that session visits. */
export interface SessionMembers {
  /** SHA-256 of the value that the browser had for the session. */
  readonly valueHash: string;
  readonly members: readonly LogoutMember[];
}

/** An application that has been sent a LogoutRequest. */
export interface AskedMember extends LogoutMember {
  /** The ID of the LogoutRequest. */
  readonly requestId: string;
  /** Its answer, which was posted and waits for the browser: whether the application has ended its session. */
  readonly isLoggedOut?: boolean;
  /** Whether the browser has come back without an answer, and was sent there a second time. */
  readonly isAskedAgain?: boolean;
}

/** A logout that goes through applications one after the other (SAML Core §3.7.3.2). It can be written as JSON. */
export interface LogoutChain {
  readonly asker: LogoutAsker;
  /** Whose applications are told, once it is known whether the browser has one of these sessions; undefined: that is known. */
  readonly unproved: readonly SessionMembers[] | undefined;
  /** The service providers that have not been asked yet, in turn. */
  readonly waiting: readonly LogoutMember[];
  readonly asked: AskedMember | undefined;
  /** Whether an application has not logged the user out, or cannot be notified. */
  readonly isPartial: boolean;
  /** How many applications the browser was sent to since it has shown a page. */
  readonly visits: number;
}

/** What comes next. `rest` is what is left then. */
export type LogoutMove =
  | { readonly kind: "ask"; readonly member: LogoutMember; readonly rest: LogoutChain }
  | { readonly kind: "ask-again"; readonly member: AskedMember; readonly rest: LogoutChain }
  | { readonly kind: "answer"; readonly isPartial: boolean };

/** Begins a logout of which it is not known yet whether the browser has one of the sessions. */
export function beginChain(
  asker: LogoutAsker,
  sessions: { readonly unproved: readonly SessionMembers[]; readonly isPartial: boolean },
): LogoutChain {
  return { asker, ...sessions, waiting: [], asked: undefined, visits: 0 };
}

/**
 * Decides which applications the browser visits: the applications of the session that it had. A browser that had none of the
 * sessions visits nobody, because it would learn how other applications name the user. Sessions of other browsers are left out.
 */
export function proveSession(chain: LogoutChain, valueHash: string | undefined): LogoutChain {
  if (chain.unproved === undefined) return chain;
  const own = chain.unproved.find((session) => session.valueHash === valueHash);
  const isPartial =
    chain.isPartial || chain.unproved.some((session) => session !== own && hasMembers(session));
  return { ...chain, unproved: undefined, waiting: own?.members ?? [], isPartial };
}

/** Says whether a logout that waits for the session of the browser has ended that one. */
export function hasSession({ unproved = [] }: LogoutChain, valueHash: string | undefined): boolean {
  return unproved.some((session) => session.valueHash === valueHash);
}

/**
 * Notes the answer of an application. Undefined: nobody waits for it, because it comes from another application, answers another
 * request, or one to the same request came before, in whatever browser.
 */
export function takeAnswer(
  chain: LogoutChain,
  answer: {
    readonly applicationId: ApplicationId;
    readonly requestId: string | undefined;
    readonly isLoggedOut: boolean;
  },
): LogoutChain | undefined {
  const { asked } = chain;
  if (asked?.applicationId !== answer.applicationId || asked.requestId !== answer.requestId) return undefined;
  if (asked.isLoggedOut !== undefined) return undefined;
  return { ...chain, asked: { ...asked, isLoggedOut: answer.isLoggedOut } };
}

/**
 * Decides what comes next when the browser is here. A browser that comes back without an answer is sent to the application once
 * more, and the next time past it. An application that has not ended its session is asked again by its other names: it need not
 * have taken the last one, which any page can make a browser fetch.
 */
export function nextMove(chain: LogoutChain): LogoutMove {
  const { asked, waiting } = chain;
  if (asked !== undefined && asked.isLoggedOut === undefined && asked.isAskedAgain !== true)
    return {
      kind: "ask-again",
      member: { ...asked, isAskedAgain: true },
      rest: { ...chain, asked: undefined },
    };
  const renamed = asked?.isLoggedOut === false ? byNextName(asked) : undefined;
  if (renamed !== undefined) return { kind: "ask", member: renamed, rest: { ...chain, asked: undefined } };
  const isPartial = chain.isPartial || (asked !== undefined && asked.isLoggedOut !== true);
  const [member, ...rest] = waiting;
  if (member === undefined) return { kind: "answer", isPartial };
  return { kind: "ask", member, rest: { ...chain, waiting: rest, asked: undefined, isPartial } };
}

/** Notes the application that the browser is sent to, and how. `rest` is what `nextMove` has left. */
export function askMember(rest: LogoutChain, asked: AskedMember, binding: "redirect" | "post"): LogoutChain {
  return { ...rest, asked, visits: binding === "redirect" ? rest.visits + 1 : 0 };
}

/**
 * Says whether the browser has to show a page before it is redirected again: browsers follow 20 redirects in a row (Fetch §4.4),
 * and each application takes three or so.
 */
export function needsPage({ visits }: LogoutChain): boolean {
  return visits >= maxVisits;
}

const maxVisits = 5;

function byNextName({
  applicationId,
  sessionId,
  sessionIndex,
  otherNames: [nameId, ...otherNames],
}: LogoutMember): LogoutMember | undefined {
  return nameId && { applicationId, sessionId, sessionIndex, nameId, otherNames };
}

function hasMembers({ members }: SessionMembers): boolean {
  return members.length > 0;
}
