import { createReadStream, createWriteStream, existsSync, renameSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ImportError } from "../records.ts";
import { type ExportLine, readExport, toExportLine } from "./format.ts";

/** The first line of a file that age has encrypted (age-encryption.org/v1). */
const ageHeader = "age-encryption.org/v1";

/**
 * Writes lines to a new file that only its owner can read, whole or not at all: it has its name once `beforeName` has returned. With
 * recipients (X25519, `age1…`) it is encrypted for them. Throws ImportError for a recipient that is none, and if the file exists.
 */
export async function writeExport(
  file: string,
  lines: AsyncIterable<ExportLine>,
  {
    recipients,
    beforeName,
  }: { readonly recipients: readonly string[]; readonly beforeName: () => Promise<void> },
): Promise<void> {
  if (existsSync(file)) throw new ImportError(`${file} already exists; choose another name`);
  const partial = `${file}.partial`;
  rmSync(partial, { force: true }); // of an export that was interrupted
  try {
    const bytes = Readable.from(toChunks(lines));
    const written = recipients.length === 0 ? bytes : await encrypt(bytes, recipients);
    await pipeline(written, createWriteStream(partial, { mode: 0o600, flags: "wx", flush: true }));
    await beforeName();
    renameSync(partial, file);
  } catch (error) {
    rmSync(partial, { force: true });
    throw error;
  }
}

const charactersAtOnce = 65_536;

/** Encryption of many small pieces takes longer than that of a large one. */
async function* toChunks(lines: AsyncIterable<ExportLine>): AsyncGenerator<Buffer, void, undefined> {
  let text = "";
  for await (const line of lines) {
    text += toExportLine(line);
    if (text.length < charactersAtOnce) continue;
    yield Buffer.from(text, "utf8");
    text = "";
  }
  yield Buffer.from(text, "utf8");
}

async function encrypt(bytes: Readable, recipients: readonly string[]): Promise<Readable> {
  const { Encrypter } = await import("age-encryption"); // few exports are encrypted
  const encrypter = new Encrypter();
  for (const recipient of recipients) {
    try {
      if (!/^age1[02-9ac-hj-np-z]{58}$/.test(recipient)) throw new Error("it has another form");
      encrypter.addRecipient(recipient);
    } catch (error) {
      throw new ImportError(
        `${recipient} is no recipient of age (age1…, of X25519); age-keygen prints one with its key`,
        { cause: error },
      );
    }
  }
  return fromWeb(await encrypter.encrypt(toWeb(bytes)));
}

/**
 * Reads the lines of a file of `gatehouse export`. `identity` is the text of a file of age-keygen, for one that is encrypted. Throws
 * ImportError.
 */
export async function* readExportFile(
  file: string,
  identity: string | undefined,
): AsyncGenerator<ExportLine, void, undefined> {
  if (!(await isEncrypted(file))) {
    yield* readExport(createReadStream(file));
    return;
  }
  if (identity === undefined)
    throw new ImportError(`${file} is encrypted by age; name the file with its key by --identity`);
  yield* readExport(await decrypt(file, identity));
}

async function isEncrypted(file: string): Promise<boolean> {
  const handle = await open(file, "r");
  try {
    const { buffer } = await handle.read(Buffer.alloc(ageHeader.length), 0, ageHeader.length, 0);
    return buffer.toString("latin1") === ageHeader;
  } finally {
    await handle.close();
  }
}

async function decrypt(file: string, identity: string): Promise<Readable> {
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  const keys = identity.split(/\s+/).filter((word) => word.startsWith("AGE-SECRET-KEY-1"));
  try {
    if (keys.length === 0) throw new Error("it has none");
    for (const key of keys) decrypter.addIdentity(key);
  } catch (error) {
    throw new ImportError("the file of --identity has no key of age (AGE-SECRET-KEY-1…)", { cause: error });
  }
  try {
    return fromWeb(await decrypter.decrypt(toWeb(createReadStream(file))));
  } catch (error) {
    throw new ImportError(`${file} cannot be decrypted with this key: ${messageOf(error)}`, { cause: error });
  }
}

/** The types of Node and of the library name the same streams of the standard. */
function toWeb(bytes: Readable): globalThis.ReadableStream<Uint8Array> {
  return Readable.toWeb(bytes) as globalThis.ReadableStream<Uint8Array>;
}

function fromWeb(bytes: globalThis.ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(bytes);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
