import { HeldRows } from "./held-rows.ts";

/**
 * What can be undone by itself: a command, or a part of one. The outermost scope is the section, which is undone as a
 * whole.
 *
 * A scope gets its savepoint only when something of it is sent that changes rows. What it holds back is undone by
 * forgetting it, so most commands, which only read and insert, need no savepoint.
 */
export class UndoScope {
  readonly parent: UndoScope | undefined;
  /** The number of its command within the batch; undefined for the section, and for a command before its turn. */
  owner: number | undefined;
  readonly rows = new HeldRows();
  /** Whether its savepoint was sent. */
  isMarked: boolean;
  /** Whether its work has ended: nothing more may be sent in it. */
  isOver = false;
  isUndone = false;
  /** Whether a part of it is under way: what is done now can only be undone with that part. */
  hasPart = false;
  /** Whether its savepoint is gone, so that errors can no longer be undone in it. */
  isReleased = false;
  /** What PostgreSQL refused in it, so that it refuses everything else until the savepoint is restored. */
  error: Error | undefined;
  readonly savepoint: string;

  /** This scope and those around it, from the inside out. */
  readonly chain: readonly UndoScope[];

  constructor(parent: UndoScope | undefined, owner: number | undefined) {
    this.parent = parent;
    this.chain = parent === undefined ? [this] : [this, ...parent.chain];
    this.owner = owner;
    this.isMarked = parent === undefined;
    this.savepoint = parent === undefined ? "" : `${parent.savepoint}s`;
  }
}
