import { readFileSync, statSync } from "node:fs";
import { Secret } from "../../../base/secret.ts";
import { DatabaseAddressError } from "../../database-unusable.ts";
import type { PasswordFile, PostgresAddress } from "./address.ts";
import type { PostgresHost } from "./hosts.ts";

/**
 * Returns the password for a server, or undefined. Reads the file of passwords at each call, so that a new password
 * counts from the next connection on. Throws DatabaseAddressError for a file that others can read, or that somebody
 * named and that cannot be read.
 */
export function findPassword(address: PostgresAddress, server: PostgresHost): Secret | undefined {
  if (address.password !== undefined) return address.password;
  const text = address.passwordFile === undefined ? undefined : readPasswordFile(address.passwordFile);
  if (text === undefined) return undefined;
  // A socket stands in the file as localhost (PostgreSQL, §34.16).
  const host = server.host.startsWith("/") ? [server.host, "localhost"] : [server.host];
  const wanted = [host, [String(server.port)], [address.database], [address.user]];
  for (const line of text.split(/\r?\n/).filter((each) => !each.startsWith("#"))) {
    const fields = splitFields(line);
    const isMeant = wanted.every((values, index) => {
      const field = fields[index] ?? "";
      return field === "*" || values.includes(field);
    });
    const password = fields[wanted.length];
    if (isMeant && password !== undefined && password !== "") return new Secret(password);
  }
  return undefined;
}

function readPasswordFile({ path, isNamed }: PasswordFile): string | undefined {
  try {
    if ((statSync(path).mode & 0o007) !== 0) {
      throw new DatabaseAddressError(
        `${path} can be read by every user of this machine; run chmod 600 on it`,
      );
    }
    return readFileSync(path, "utf8");
  } catch (error) {
    if (error instanceof DatabaseAddressError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException; // only node:fs throws here
    if (!isNamed && code === "ENOENT") return undefined;
    throw new DatabaseAddressError(`${path} cannot be read: ${code}`, { cause: error });
  }
}

/** Splits `host:port:database:user:password`, in which a backslash stands before a colon or backslash that is meant. */
function splitFields(line: string): readonly string[] {
  return [...line.matchAll(/(?:^|:)((?:\\.|[^:\\])*)/g)].map(([, field = ""]) =>
    field.replaceAll(/\\(.)/g, "$1"),
  );
}
