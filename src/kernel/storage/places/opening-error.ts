import { DatabaseUnusableError } from "../database-unusable.ts";
import { ConnectionLostError } from "../postgres/postgres-error.ts";
import { ForeignDatabaseError } from "../schema-versions.ts";

/** What a person can do about an error, by its code: of Node, or a SQLSTATE of PostgreSQL. */
const advice: readonly (readonly [code: RegExp, text: string])[] = [
  [/^ECONNREFUSED$/, "is PostgreSQL running there, and is the port right?"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "is the name of the host right?"],
  [/^(?:28P01|28000)$/, "check the user, PGPASSWORD or PGPASSFILE, and pg_hba.conf of the server"],
  [/^3D000$/, "create it with: CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8'"],
  [/^42501$/, "make this user the owner of the database"],
  [
    /CERT|^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/,
    "name the certificate of its authority with sslrootcert=<file> in the url",
  ],
  [/^53300$/, "raise max_connections of the server"],
];

/**
 * Converts an error of opening a database that a person can do something about into DatabaseUnusableError; returns any
 * other as it is. `name` is the url without its password.
 */
export function toOpeningError(name: string, error: unknown): unknown {
  if (error instanceof ForeignDatabaseError) {
    const text = `${name} cannot be used: ${error.message}; create an empty database for gatehouse`;
    return new DatabaseUnusableError(text, { cause: error });
  }
  if (error instanceof DatabaseUnusableError) {
    const found = adviceFor(error.cause);
    return found === "" ? error : new DatabaseUnusableError(`${error.message}${found}`, { cause: error });
  }
  if (!(error instanceof Error)) return error;
  if (isLostConnection(error)) {
    const text = `${name} cannot be used: the server closed the connection (${error.message}); start again when it is back`;
    return new DatabaseUnusableError(text, { cause: error });
  }
  if (!isOfServer(error)) return error;
  const text = `${name} cannot be used: ${error.message}${adviceFor(error)}`;
  return new DatabaseUnusableError(text, { cause: error });
}

function adviceFor(error: unknown): string {
  const code = codeOf(error);
  const found = advice.find(([pattern]) => pattern.test(code));
  return found === undefined ? "" : `; ${found[1]}`;
}

/**
 * Says whether a connection broke on which the server had already been found fit: it crashed, or was restarted. The driver
 * has no code for a connection that the server ends.
 */
function isLostConnection(error: Error): boolean {
  if (error instanceof ConnectionLostError) return true;
  return (
    /^(?:ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT)$/.test(codeOf(error)) ||
    /^(?:Connection terminated|Client has encountered a connection error|Client was closed)/.test(
      error.message,
    )
  );
}

/** Says whether PostgreSQL raised the error: only it names a severity. */
function isOfServer(error: Error): boolean {
  return "severity" in error;
}

function codeOf(error: unknown): string {
  const isCoded = typeof error === "object" && error !== null && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : "";
}
