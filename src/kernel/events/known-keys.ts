import type { KeyObject } from "node:crypto";
import type { TableWatch, WriteTransaction } from "../base/database.ts";

/**
 * Keys of users and organizations that this process remembers by the ids of their secrets, until a secret is replaced or deleted. They
 * are for writes, which see the current secrets: a reader could bring back a key that was destroyed in the meantime. In a write,
 * `written()` tells of every process: others cannot commit until it has ended.
 */
export interface KnownKeys {
  /** Returns the key; undefined when it must be read. */
  find(tx: WriteTransaction, id: string): KeyObject | undefined;
  /** Remembers a key that the transaction has just read. */
  addRead(tx: WriteTransaction, id: string, key: KeyObject): void;
  /** Remembers a key that the transaction has just made, for its next statements. */
  addMade(tx: WriteTransaction, id: string, key: KeyObject): void;
}

/** A few hundred kilobytes. */
const maxRemembered = 1000;

interface MadeKey {
  readonly id: string;
  readonly key: KeyObject;
  readonly writtenAt: number;
}

/** Creates an empty memory. `watch` watches `secrets`; without it nothing is remembered. */
export function createKnownKeys(watch: TableWatch | undefined): KnownKeys {
  if (watch === undefined) return { find: () => undefined, addRead() {}, addMade() {} };
  let known = new Map<string, KeyObject>();
  let seenAt = watch.written();
  /** The last key that was made in each transaction. */
  const lastMade = new WeakMap<WriteTransaction, MadeKey>();
  /** The ids of the keys that were made in each commit: it may yet be undone, and the ids used again. */
  const madeIn = new WeakMap<object, Set<string>>();
  return {
    find(tx, id) {
      const made = lastMade.get(tx);
      if (made?.id === id && made.writtenAt === watch.written()) return made.key;
      if (seenAt !== watch.written() || known.size >= maxRemembered) known = new Map();
      seenAt = watch.written();
      return known.get(id);
    },
    addRead(tx, id, key) {
      // Not while secrets are being written: what is undone must not be remembered.
      const isSettled = seenAt === watch.written() && seenAt === watch.committed();
      if (isSettled && madeIn.get(tx.commit)?.has(id) !== true) known.set(id, key);
    },
    addMade(tx, id, key) {
      lastMade.set(tx, { id, key, writtenAt: watch.written() });
      const ids = madeIn.get(tx.commit) ?? new Set();
      madeIn.set(tx.commit, ids.add(id));
    },
  };
}
