import type { ReadTransaction } from "./database.ts";
import type { OrganizationId, TokenId, UserId } from "./ids.ts";
import type { Access, HeldRoles } from "./permission.ts";

/** Who calls, as the token says, and what he holds at the moment of the call. */
export interface Caller {
  readonly userId: UserId;
  readonly organizationId: OrganizationId;
  readonly tokenId: TokenId;
  /** When the token of the call expires, ms since 1970; undefined = never. */
  readonly tokenExpirationMs: number | undefined;
  readonly held: readonly HeldRoles[];
  /** What a watch of the tables that decide over access said when all this was looked up; undefined = not known. */
  readonly seenAt?: number | undefined;
}

/** One call on its way: everything that a command may know besides its own input. */
export interface Call {
  readonly requestId: string;
  /** Address of the peer, without port; undefined when the transport does not know it. */
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
