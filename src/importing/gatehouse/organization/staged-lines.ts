import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decryptWith, encryptWith } from "../../../kernel/base/keyring.ts";
import type { Random } from "../../../kernel/base/random.ts";
import { type ExportLine, toExportLine } from "../format.ts";

/** Lines that can be read again without waiting, as a transaction has to. */
export interface StagedLines {
  read(): Iterable<ExportLine>;
  close(): void;
}

const charactersAtOnce = 65_536;
const lengthBytes = 4;
const keyBytes = 32;
const nonceBytes = 12;

/**
 * Puts lines into a file below TMPDIR that has no name and is encrypted by a key that is only in memory: nothing of them is left when
 * the process ends, however it does.
 */
export async function stageLines(lines: AsyncIterable<ExportLine>, random: Random): Promise<StagedLines> {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-import-"));
  const file = openSync(join(folder, "lines"), "wx+", 0o600);
  rmSync(folder, { recursive: true });
  const key = random.bytes(keyBytes);
  const write = (text: string) => {
    const nonce = random.bytes(nonceBytes);
    const sealed = encryptWith({ key, plaintext: Buffer.from(text, "utf8"), context: "", nonce });
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32BE(sealed.length);
    writeSync(file, Buffer.concat([length, sealed]));
  };
  try {
    let text = "";
    for await (const line of lines) {
      text += toExportLine(line);
      if (text.length < charactersAtOnce) continue;
      write(text);
      text = "";
    }
    if (text !== "") write(text);
  } catch (error) {
    closeSync(file);
    throw error;
  }
  return {
    *read() {
      let position = 0;
      const take = (length: number) => {
        const bytes = Buffer.alloc(length);
        const count = readSync(file, bytes, 0, length, position);
        position += count;
        return count === length ? bytes : undefined;
      };
      for (let length = take(lengthBytes); length !== undefined; length = take(lengthBytes)) {
        const value = take(length.readUInt32BE());
        if (value === undefined) throw new Error("the file of the lines was cut");
        const text = Buffer.from(decryptWith({ key, value, context: "" })).toString("utf8");
        for (const line of text.split("\n")) if (line !== "") yield toLine(line);
      }
    },
    close: () => closeSync(file),
  };
}

/** As `toExportLine` has written it. */
function toLine(text: string): ExportLine {
  const [entry] = Object.entries(JSON.parse(text) as Readonly<Record<string, unknown>>);
  return { kind: entry?.[0], value: entry?.[1] } as ExportLine; // toExportLine has written it
}
