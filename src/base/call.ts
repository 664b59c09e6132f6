import type { Database, ReadTransaction, WriteOptions, WriteTransaction } from "./database.ts";
import type { Details } from "./details.ts";
import type { OrganizationId, TokenId, UserId } from "./ids.ts";
import type { Access, HeldRoles } from "./permission.ts";

/** The caller that the token names, and the roles that the token carries at the moment of the call. */
export interface Caller {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly tokenId: TokenId;
  /** When the token of the call expires, in ms since 1970; undefined = never. */
  readonly tokenExpirationMs: number | undefined;
  /** Set when the call was made with an access token of OAuth; `tokenId` is then the key or secret that it was got with. */
  readonly accessToken?: { readonly hash: string; readonly lockCount: number } | undefined;
  /** Whether the token is limited: it does not carry all roles of its user. */
  readonly isLimited: boolean;
  readonly held: readonly HeldRoles[];
  /** What a watch of the tables that decide over access said when all this was looked up; undefined = not known. */
  readonly accessRevision?: number | undefined;
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
