import type { Origin } from "../base/call.ts";
import type { ReadTransaction, WriteTransaction } from "../base/database.ts";
import { type PersonalData, UnreadableError } from "./personal-data.ts";

/** Columns of the log that say where an event came from. Both are null when it is unknown or cannot be encrypted. */
export interface RemoteAddressColumns {
  readonly remote_address: Uint8Array | null;
  /** Sequence of the event that holds the address: an earlier event of the same transaction, editor and address. */
  readonly remote_address_of: number | null;
}

/** Returns the columns for the event that is inserted next. */
export type RemoteAddressSealer = (
  tx: WriteTransaction,
  origin: Origin,
  event: { readonly sequence: number; readonly context: string },
) => Promise<RemoteAddressColumns>;

const none: RemoteAddressColumns = { remote_address: null, remote_address_of: null };

/**
 * Creates the encryption of remote addresses, with the key of the editor and bound to the event. A transaction of a
 * thousand events encrypts only one: the others refer to its event, which is either in the log with them or not at
 * all.
 */
export function createRemoteAddressSealer(personalData: PersonalData): RemoteAddressSealer {
  const holders = new WeakMap<WriteTransaction, Origin & { readonly sequence: number }>();
  return async (tx, origin, event) => {
    const { editor, remoteAddress } = origin;
    if (remoteAddress === undefined || editor === "system") return none;
    const holder = holders.get(tx);
    if (holder?.editor === editor && holder.remoteAddress === remoteAddress)
      return { remote_address: null, remote_address_of: holder.sequence };
    const sealed = await personalData
      .seal(tx, editor, remoteAddress, toAddressContext(event.context))
      .catch(toNothing);
    if (sealed === undefined) return none;
    holders.set(tx, { ...origin, sequence: event.sequence });
    return { remote_address: sealed, remote_address_of: null };
  };
}

/**
 * Decrypts the address of an event; undefined when the key of the editor has been destroyed. `context` is the context
 * of the event. Throws UnreadableError.
 */
export function openRemoteAddress(
  tx: ReadTransaction,
  personalData: PersonalData,
  held: { readonly editor: string; readonly sealed: Uint8Array; readonly context: string },
): Promise<string | undefined> {
  return personalData.open(tx, held.editor, held.sealed, toAddressContext(held.context));
}

/** A user whose key is damaged can go on working; `doctor` reports the key. */
function toNothing(error: unknown): undefined {
  if (!(error instanceof UnreadableError)) throw error;
}

function toAddressContext(context: string): string {
  return `${context}remote_address`;
}
