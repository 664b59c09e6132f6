import type { Database, ReadTransaction, WriteOptions, WriteTransaction } from "./database.ts";
import type { Details } from "./details.ts";
import type { OrganizationId, TokenId, UserId } from "./ids.ts";
import type { Access, HeldRoles } from "./permission.ts";

/** Who calls, as the token says, and what the token carries at the moment of the call: that is what the caller holds. */
export interface Caller {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly tokenId: TokenId;
  /** When the token of the call expires, ms since 1970; undefined = never. */
  readonly tokenExpirationMs: number | undefined;
  /** Whether the token is limited: it does not carry all roles of its user. */
  readonly isLimited: boolean;
  readonly held: readonly HeldRoles[];
  /** What a watch of the tables that decide over access said when all this was looked up; undefined = not known. */
  readonly accessRevision?: number | undefined;
}

/** Where the write of a call takes place when that is not a transaction of its own: the caller asked for more than the plain call. */
export interface WriteUnit {
  /**
   * Does the work of the call, at most once, and returns its result before anything is durable: what the call answers is part
   * of the unit. Nothing but that answer may be made of it. The steps that the work adds to `after` are taken once the unit
   * is durable, and not at all when it is undone.
   */
  write<T>(
    database: Pick<Database, "write">,
    work: (tx: WriteTransaction) => Promise<T>,
    how: { readonly options: WriteOptions; readonly after: readonly AfterCommit[] },
  ): Promise<Exclude<T, Error>>;
  /** Reads what the unit has written so far, too; undefined: what is committed is all there is to read. */
  readonly read?: Database["read"] | undefined;
}

/** What follows a command once it is durable, such as the delivery of a message. Must not fail. */
export type AfterCommit = () => Promise<void> | void;

/** One call on its way: everything that a command may know besides its own input. */
export interface Call {
  readonly requestId: string;
  /** Address of the peer, without port; undefined when the port does not know it. */
  readonly remoteAddress: string | undefined;
  readonly caller: Caller;
  /** The organization acted on, after permission on it was checked. */
  readonly access: Access;
  /** Instant of the wall clock (ms since 1970) after which nothing may be committed any more. */
  readonly deadlineMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /**
   * Judges token, user and permission again, inside of the write that makes the change, and returns what the caller holds
   * then: between the first judgement and the write lies the time that the body takes. Raises what the first one raises.
   */
  readonly confirm?: ((tx: ReadTransaction) => Promise<readonly HeldRoles[]>) | undefined;
  /** Undefined: the call's write is a transaction of its own. */
  readonly unit?: WriteUnit | undefined;
  /** Compares the object that the call is about to change with what the caller expects of it. Raises SEQUENCE_MISMATCH. */
  readonly requireMatch?: ((details: Details) => void) | undefined;
  /** What the caller named by `x-service-orgid`, not judged yet, where the items of the call are to be judged by it. */
  readonly organizationHeader?: string | undefined;
  /** True: the caller only asks what the call would do. Codes and credentials that can be guessed are not judged then. */
  readonly isDryRun?: boolean | undefined;
}

/** Who is written into events as the editor: a user, or the service itself. */
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
