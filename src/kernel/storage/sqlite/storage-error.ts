import { readUnavailable, writeUnavailable } from "../engine/storage-problem.ts";
import { isSqliteError } from "./connection.ts";

/** Says whether the storage failed, as opposed to the statement. */
export function isStorageError(error: unknown): boolean {
  return isOneOf(error, /^SQLITE_(FULL|IOERR|NOMEM|CORRUPT|READONLY|CANTOPEN|NOTADB|BUSY|LOCKED)/);
}

/** The disk did not confirm a write: what the kernel still holds is unknown, so no retry may build on it. */
export function isLostWrite(error: unknown): error is Error {
  return isOneOf(error, /^SQLITE_(IOERR|CORRUPT|NOTADB)/);
}

/**
 * Converts a failure of the storage into the problem that the caller of a write gets; returns any other error as it
 * is.
 */
export function toWriteProblem(error: unknown): unknown {
  return isStorageError(error) ? writeUnavailable(error) : error;
}

/**
 * Converts a temporary failure of the storage into the problem that the caller of a read gets; returns any other
 * error, such as a damaged file, as it is.
 */
export function toReadProblem(error: unknown): unknown {
  return isOneOf(error, /^SQLITE_(FULL|IOERR|NOMEM|CANTOPEN|BUSY|LOCKED)/) ? readUnavailable(error) : error;
}

function isOneOf(error: unknown, codes: RegExp): boolean {
  return isSqliteError(error) && codes.test(error.code);
}
