import type { AccessTokenBasis } from "./access-token-basis.ts";
import type { Database, ReadTransaction, WriteOptions, WriteTransaction } from "./database.ts";
import type { Details } from "./details.ts";
import type { OrganizationId, SessionId, TokenId, UserId } from "./ids.ts";
import type { Instant } from "./clock.ts";
import type { Access, HeldRoles } from "./permission.ts";

/** The caller that the token names, and the roles that the token carries at the moment of the call. */
export interface Caller {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  /** The personal access token of the call, or the key or secret that its access token was got with; undefined after a login. */
  readonly tokenId: TokenId | undefined;
  /** When the token of the call expires, in ms since 1970; undefined = never. */
  readonly tokenExpirationMs: number | undefined;
  /** Set when the call was made with an access token of OAuth. */
  readonly accessToken?: CallerAccessToken | undefined;
  /** Set when that came from a login of a person, and when the session itself is what the call is made with: the account pages. */
  readonly login?: CallerLogin | undefined;
  /** Whether the token is limited: it does not carry all roles of its user. */
  readonly isLimited: boolean;
  /** The roles in effect when the caller was looked up. */
  readonly held: readonly HeldRoles[];
  /** The first instant at which others may be in effect though nothing was changed; undefined = none is known. */
  readonly heldUntil?: Instant | undefined;
  /** The state of the watch of the tables that decide about access, at the time of this lookup; undefined = not known. */
  readonly accessRevision?: number | undefined;
}

/** An access token of OAuth, with all that it takes to check it again. */
export interface CallerAccessToken {
  readonly hash: string;
  readonly userId: UserId;
  readonly lockCount: number;
  readonly expirationMs: number;
  readonly basis: AccessTokenBasis;
  /** The exchanges that it came from, the first one first; none for a token that was given for a login or a credential. */
  readonly exchanges: readonly TokenExchange[];
  /** The thumbprint of the key that it is bound to; undefined: to none. */
  readonly jkt: string | undefined;
}

/** One exchange of an access token for another one (RFC 8693). */
export interface TokenExchange {
  /** The hash of the token that was exchanged. */
  readonly subjectHash: string;
  /** The application that has exchanged it. */
  readonly clientId: string;
}

/** The login that the access token of a call came from. */
export interface CallerLogin {
  readonly sessionId: SessionId;
  /** When the user logged in, in ms since 1970. */
  readonly authTimeMs: number;
  /** What was proved, by the names of the enum SessionMethod. */
  readonly methods: readonly string[];
  /** Whether that is two factors. */
  readonly isMultiFactor: boolean;
}

/**
 * Where the write of a call takes place when it has no transaction of its own: in a call with an idempotency key
 * or if-match, in a dry run, and in a batch.
 */
export interface WriteUnit {
  /**
   * Does the work of the call, at most once, and returns its result before anything is durable, because the answer of
   * the call is part of the unit. Use the result for that answer only. The steps that the work adds to `after` run
   * once the unit is durable, and never if it is undone.
   */
  write<T>(
    database: Pick<Database, "write">,
    work: (tx: WriteTransaction) => Promise<T>,
    how: { readonly options: WriteOptions; readonly after: readonly AfterCommit[] },
  ): Promise<Exclude<T, Error>>;
  /** Reads committed data and what the unit has written so far; undefined when reading committed data is enough. */
  readonly read?: Database["read"] | undefined;
}

/** A step that follows a command once it is durable, such as the delivery of a message. Must not fail. */
export type AfterCommit = () => Promise<void> | void;

/** One call in progress: everything that a command may know besides its own input. */
export interface Call {
  readonly requestId: string;
  /** Address of the peer, without its port number; undefined when it is unknown. */
  readonly remoteAddress: string | undefined;
  readonly caller: Caller;
  /** The organization that the call acts on; the permission on it has been checked. */
  readonly access: Access;
  /** Instant of the wall clock (ms since 1970) after which nothing may be committed any more. */
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** As in `WriteOptions`: from then on the caller waits for the outcome, even beyond the deadline. */
  readonly onAccepted?: (() => void) | undefined;
  /** Tells the caller of a stream that it stands, before there is anything to send; undefined where nobody waits for it. */
  readonly onOpen?: (() => void) | undefined;
  /**
   * Checks token, user and permission again inside the write that makes the change, and returns the roles that the
   * caller holds then: they may have changed while the body arrived. Raises the same problems as the first check.
   */
  readonly confirm?: ((tx: ReadTransaction) => Promise<readonly HeldRoles[]>) | undefined;
  /** Undefined: the call's write is a transaction of its own. */
  readonly unit?: WriteUnit | undefined;
  /**
   * Compares the object that the call is about to change with the version that the caller expects. Raises
   * SEQUENCE_MISMATCH.
   */
  readonly requireMatch?: ((details: Details) => void) | undefined;
  /** The value of `x-service-orgid`, not checked yet, for calls whose items are checked against it. */
  readonly organizationHeader?: string | undefined;
  /**
   * True: the caller only asks what the call would do. Codes and credentials that can be guessed are not checked
   * then.
   */
  readonly isDryRun?: boolean | undefined;
  /** True: it is an item of a batch, whose other items wait for it, and which may be undone with them. */
  readonly isItem?: true | undefined;
  /** True: it is a part of a request of SCIM, which a directory makes with the token of a service user. */
  readonly isByDirectory?: true | undefined;
  /** True: the caller wants it even if people cannot sign in any more afterwards (the field `force`). */
  readonly isForced?: boolean | undefined;
}

/** The editor that events record: a user, or the service itself. */
export type Editor = UserId | "system";

/** Where events come from: a call, or the service itself (first start, background work). */
export interface Origin {
  readonly editor: Editor;
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
}

/** Returns the origin of the events that this call adds. */
export function originOf(call: Call): Origin {
  return { editor: call.caller.userId, remoteAddress: call.remoteAddress, requestId: call.requestId };
}
