import { existsSync } from "node:fs";
import { parseMasterKeys } from "../../kernel/base/keyring.ts";
import { equalBytes } from "../../kernel/base/secret.ts";
import { readKeyFile } from "../../kernel/storage/data-folder.ts";
import { CopyError } from "../../kernel/storage/copy/rows.ts";

/**
 * Returns the text of a key file with the key that encrypts in front: there it encrypts in a data folder too, whose database names
 * none.
 */
export function keysWithFirst(text: string, sealingKeyId: string): string {
  const isSealing = ({ id }: { readonly id: string }) => id === sealingKeyId;
  const keys = parseMasterKeys(text);
  return [...keys.filter(isSealing), ...keys.filter((key) => !isSealing(key))]
    .map(({ id, bytes }) => `${id} ${Buffer.from(bytes).toString("base64")}\n`)
    .join("");
}

/** Throws CopyError if the key file that is there has other keys, or another one in front. */
export function requireSameKeys(file: string, found: string, expected: string): void {
  const [there, wanted] = [parse(file, found), parseMasterKeys(expected)];
  const isSame =
    there.length === wanted.length &&
    there[0]?.id === wanted[0]?.id &&
    wanted.every(({ id, bytes }) => there.some((key) => key.id === id && equalBytes(key.bytes, bytes)));
  if (!isSame)
    throw new CopyError(
      `${file} has other keys than the place that is copied; name a file that does not exist, and it will be made`,
    );
}

function parse(file: string, text: string) {
  try {
    return parseMasterKeys(text);
  } catch (error) {
    throw new CopyError(`${file} is damaged: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
}

/** Returns the text of a key file; undefined if there is none yet. Throws DataFolderError. */
export function findKeyText(file: string): string | undefined {
  return existsSync(file) ? readKeyFile(file) : undefined;
}
