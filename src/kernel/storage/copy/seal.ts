import type { ReadTransaction, WriteTransaction } from "../../base/database.ts";

/** The row of `settings` that says what part the place has in a copy. */
export const sealSetting = "copy";

/** What part a place has in a copy. */
export interface Seal {
  /** Drawn by the copy: both places have the same. */
  readonly id: string;
  readonly role: "source" | "target";
  /** The other place, as it is named to a person. */
  readonly other: string;
  /** Whether everything was copied and compared. A target that is done is no longer sealed. */
  readonly isDone: boolean;
}

/** The place was copied to another one, or is not filled yet. The message is for the person who started the process. */
export class SealedPlaceError extends Error {}

/** Reads the value of the row. */
export function parseSeal(text: string | undefined): Seal | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Seal); // only copies write it
}

/** Seals the place, or opens it for everybody. */
export async function putSeal(tx: WriteTransaction, seal: Seal | undefined): Promise<void> {
  await tx.run("DELETE FROM settings WHERE name = ?", [sealSetting]);
  if (seal !== undefined)
    await tx.run("INSERT INTO settings (name, value) VALUES (?, ?)", [sealSetting, JSON.stringify(seal)]);
}

/** Throws SealedPlaceError if the place must not be used because of a copy. */
export async function requireUnsealed(tx: ReadTransaction, name: string): Promise<void> {
  const reason = await findReasonOfSeal(tx, name);
  if (reason !== undefined) throw new SealedPlaceError(reason);
}

/** Finds out why the place must not be used because of a copy; undefined if it may be. */
export async function findReasonOfSeal(tx: ReadTransaction, name: string): Promise<string | undefined> {
  return whySealed(await findSeal(tx), name);
}

/** Finds what part the place has in a copy; undefined if none. */
export async function findSeal(tx: ReadTransaction): Promise<Seal | undefined> {
  const row = await tx.get<{ value: string }>("SELECT value FROM settings WHERE name = ?", [sealSetting]);
  return parseSeal(row?.value);
}

/** Explains it in one sentence. */
function whySealed(seal: Seal | undefined, name: string): string | undefined {
  if (seal === undefined) return undefined;
  const { role, other, isDone } = seal;
  if (role === "target")
    return isDone
      ? undefined
      : `the copy from ${other} to ${name} is not finished; run the same command again, or make ${name} empty`;
  return isDone
    ? `${name} was copied to ${other} and is sealed; serve that place, or open this one again with gatehouse copy --unseal --from`
    : `${name} is being copied to ${other}; run gatehouse copy again to finish, or give it up with gatehouse copy --unseal --from`;
}
