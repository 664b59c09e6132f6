import type { Editor, Origin } from "../base/call.ts";
import type { WriteTransaction } from "../base/database.ts";
import { type LoadedKeys, type PersonalData, UnreadableError } from "./personal-data.ts";

/** Columns of the log that say where an event came from. Both are null when it is unknown or cannot be encrypted. */
export interface RemoteAddressColumns {
  readonly remote_address: Uint8Array | null;
  /** Sequence of the event that holds the address: an earlier event of the same commit, editor and address. */
  readonly remote_address_of: number | null;
}

/** Makes the columns of the event that is inserted next. */
export type RemoteAddressSealer = (
  tx: WriteTransaction,
  origin: Origin,
  event: { readonly sequence: number; readonly context: string },
) => Promise<RemoteAddressColumns>;

const none: RemoteAddressColumns = { remote_address: null, remote_address_of: null };

/** The last event that holds an address of an editor, and the transaction that inserted it. */
interface Holder {
  readonly tx: WriteTransaction;
  readonly remoteAddress: string;
  readonly sequence: number;
}

/**
 * Creates the encryption of remote addresses, with the key of the editor and bound to the event. Events that are
 * committed together encrypt each address of an editor once: later events refer to the first, which is in the log with
 * them or not at all.
 */
export function createRemoteAddressSealer(personalData: PersonalData): RemoteAddressSealer {
  const holdersByCommit = new WeakMap<object, Map<Editor, Holder>>();
  return async (tx, origin, event) => {
    const { editor, remoteAddress } = origin;
    if (remoteAddress === undefined || editor === "system") return none;
    const holders = holdersByCommit.get(tx.commit) ?? new Map<Editor, Holder>();
    const holder = holders.get(editor);
    // The event of a command, or of a part of one, is gone if that has failed since.
    if (holder?.remoteAddress === remoteAddress && !holder.tx.isUndone())
      return { remote_address: null, remote_address_of: holder.sequence };
    const sealed = await personalData
      .seal(tx, editor, remoteAddress, toAddressContext(event.context))
      .catch(toNothing);
    if (sealed === undefined) return none;
    holdersByCommit.set(tx.commit, holders.set(editor, { tx, remoteAddress, sequence: event.sequence }));
    return { remote_address: sealed, remote_address_of: null };
  };
}

/**
 * Encrypts the address of one event; undefined when the editor has no key. `context` is the context of the event. Throws UnreadableError.
 */
export async function sealRemoteAddressOf(
  tx: WriteTransaction,
  personalData: PersonalData,
  held: { readonly editor: string; readonly remoteAddress: string; readonly context: string },
): Promise<Uint8Array | undefined> {
  return await personalData.seal(tx, held.editor, held.remoteAddress, toAddressContext(held.context));
}

/**
 * Decrypts the address of an event; undefined when the key of the editor has been destroyed. `context` is the context
 * of the event. Throws UnreadableError.
 */
export function openRemoteAddress(
  keys: LoadedKeys,
  held: { readonly editor: string; readonly sealed: Uint8Array; readonly context: string },
): string | undefined {
  return keys.open(held.editor, held.sealed, toAddressContext(held.context));
}

/** A user whose key is damaged can go on working; `doctor` reports the key. */
function toNothing(error: unknown): undefined {
  if (!(error instanceof UnreadableError)) throw error;
}

function toAddressContext(context: string): string {
  return `${context}remote_address`;
}
