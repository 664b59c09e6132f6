import { Problem } from "../../base/problem.ts";
import { isSqliteError } from "./connection.ts";

/** Says whether the storage failed, and not the statement. */
export function isStorageError(error: unknown): boolean {
  return isOneOf(error, /^SQLITE_(FULL|IOERR|NOMEM|CORRUPT|READONLY|CANTOPEN|NOTADB|BUSY|LOCKED)/);
}

/** The disk did not confirm: what the kernel still holds of it is unknown, so nobody may try again on top of it. */
export function isLostWrite(error: unknown): error is Error {
  return isOneOf(error, /^SQLITE_(IOERR|CORRUPT|NOTADB)/);
}

/** Returns what the caller of a write is told when the storage failed; any other error as it is. */
export function toWriteProblem(error: unknown): unknown {
  if (!isStorageError(error)) return error;
  return unavailable(
    "the storage does not take changes at the moment; nothing was changed; try again later",
    error,
  );
}

/**
 * Returns what the caller of a read is told when the storage failed in a way that may pass; any other error, such as that
 * of a damaged file, as it is.
 */
export function toReadProblem(error: unknown): unknown {
  if (!isOneOf(error, /^SQLITE_(FULL|IOERR|NOMEM|CANTOPEN|BUSY|LOCKED)/)) return error;
  return unavailable("the storage cannot be read at the moment; try again later", error);
}

function isOneOf(error: unknown, codes: RegExp): boolean {
  return isSqliteError(error) && codes.test(error.code);
}

function unavailable(message: string, cause: unknown): Problem {
  return new Problem({ kind: "unavailable", reason: "OVERLOADED", message, retryAfterMs: 5000, cause });
}
