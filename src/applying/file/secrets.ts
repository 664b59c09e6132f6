import { readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";

/** Reads the secrets that a file refers to. */
export interface SecretSource {
  /** Returns the secret, or says in one clause why there is none. Never names its value. */
  read(reference: string): { readonly secret: string } | { readonly problem: string };
}

/** Where secrets may come from. */
export interface SecretPlaces {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The folder of `file:` references. Undefined: there are none. */
  readonly folder: string | undefined;
}

const variable = /^env:(?<name>GATEHOUSE_SECRET_[A-Z0-9_]+)$/;
const path = /^file:(?<name>.+)$/su;
const maxBytes = 65_536;

/**
 * Creates the source. A reference is `env:GATEHOUSE_SECRET_…`, or `file:` and a path below the folder, wherever links lead. One line
 * break at the end of a file is none of the secret.
 */
export function createSecretSource({ environment, folder }: SecretPlaces): SecretSource {
  return {
    read(reference) {
      const name = variable.exec(reference)?.groups?.["name"];
      if (name !== undefined) {
        const secret = environment[name] ?? "";
        return secret === "" ? { problem: `the environment variable ${name} is not set` } : { secret };
      }
      const file = path.exec(reference)?.groups?.["name"];
      if (file === undefined)
        return {
          problem:
            "must be a reference: env: and the name of an environment variable that begins with GATEHOUSE_SECRET_, or file: and a path below --secrets-dir",
        };
      return folder === undefined
        ? { problem: "refers to a file, so --secrets-dir must say below which folder" }
        : readBelow(folder, file);
    },
  };
}

function readBelow(folder: string, file: string): ReturnType<SecretSource["read"]> {
  try {
    const root = realpathSync(folder);
    const found = realpathSync(join(root, file));
    const below = relative(root, found);
    if (isAbsolute(file) || isAbsolute(below) || below === ".." || below.startsWith(`..${sep}`))
      return { problem: "refers to a file that is not below --secrets-dir" };
    const about = statSync(found);
    if (!about.isFile() || about.size > maxBytes)
      return { problem: `refers to what is no file of at most ${maxBytes} bytes` };
    const secret = new TextDecoder("utf-8", { fatal: true })
      .decode(readFileSync(found))
      .replace(/\r?\n$/, "");
    return secret === "" ? { problem: "refers to an empty file" } : { secret };
  } catch (error) {
    const { code } = Object(error) as { readonly code?: unknown }; // of Node; a text that is no UTF-8 has another one
    if (code === "ENOENT") return { problem: "refers to a file that is not there" };
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return { problem: "refers to a file that is no UTF-8" };
    return { problem: "refers to a file that cannot be read" };
  }
}
