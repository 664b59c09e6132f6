import { Problem } from "../../base/problem.ts";
import { readUnavailable, writeUnavailable } from "../engine/storage-problem.ts";

/** PostgreSQL refused a statement. Its message never holds values of a row or a parameter. */
export class PostgresError extends Error {
  /** The SQLSTATE (PostgreSQL, appendix A), such as `23505`. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = "PostgresError";
    this.code = code;
  }
}

/** The connection was lost, closed or never made. What was under way on it may have happened or not. */
export class ConnectionLostError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConnectionLostError";
  }
}

/** Everything else is refused because an earlier statement of the transaction failed. */
export const inFailedTransaction = "25P02";
/** A lock was not granted within `lock_timeout`. */
export const lockNotAvailable = "55P03";
/** A statement took longer than `statement_timeout`, or somebody cancelled it. */
const queryCanceled = "57014";

/**
 * SQLSTATEs that say something about the server and not about a statement: lost connections, resources, rolled back
 * transactions, a time-out, a server that only reads or shuts down, damaged files.
 */
const aboutServer = /^(?:08(?!P01)|25006|25P03|40|53|55P03|57|58|F0|XX)/;

/** Texts of these classes name tables and constraints; those of others may quote a value. */
const withoutValues = /^(?:08|23|25|26|34|40|42|53|54|55|57|58)/;

/** Converts an error of the driver. Errors without a SQLSTATE are about the connection. */
export function toPostgresError(error: unknown): PostgresError | ConnectionLostError {
  if (!(error instanceof Error)) return new ConnectionLostError(String(error));
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (!("severity" in error) || !/^[0-9A-Z]{5}$/.test(code)) {
    return error instanceof RangeError
      ? new PostgresError("22003", error.message)
      : new ConnectionLostError(`the connection to the database was lost: ${error.message}`);
  }
  const text = withoutValues.test(code) ? error.message : "PostgreSQL refused a value";
  return new PostgresError(code, `${text} (${code})`);
}

/** Says whether the storage failed, as opposed to the statement. */
export function isPostgresFailure(error: unknown): boolean {
  if (error instanceof ConnectionLostError) return true;
  if (error instanceof PostgresError) return aboutServer.test(error.code);
  return error instanceof Problem && error.kind === "unavailable";
}

/**
 * Says whether PostgreSQL ended a statement because it took too long, or waited too long for a lock. The connection is
 * sound, and so is the transaction behind a savepoint.
 */
export function isTimeOut(error: unknown): boolean {
  return error instanceof PostgresError && (error.code === queryCanceled || error.code === lockNotAvailable);
}

/** Converts a failure of the storage into the problem that the caller of a read gets; others stay as they are. */
export function toPostgresReadProblem(error: unknown): unknown {
  const isVictim = error instanceof PostgresError && error.code === inFailedTransaction;
  return !(error instanceof Problem) && (isVictim || isPostgresFailure(error))
    ? readUnavailable(error)
    : error;
}

/** The same for the caller of a write of which nothing was kept. */
export function toPostgresWriteProblem(error: unknown): unknown {
  return !(error instanceof Problem) && isPostgresFailure(error) ? writeUnavailable(error) : error;
}

/** Returns the problem of a write of which nobody can say at the moment whether it was kept. */
export function outcomeUnknown(cause: unknown): Problem {
  return new Problem({
    kind: "unavailable",
    reason: "OUTCOME_UNKNOWN",
    message:
      "the database was lost while it kept the change, so it may have happened; ask again with the same idempotency-key, or read before you try again",
    retryAfterMs: 5000,
    cause,
  });
}
