import { Problem } from "../../base/problem.ts";

/** Returns the problem of a write that the storage did not take. Nothing of it was kept, so a retry is safe. */
export function writeUnavailable(cause: unknown): Problem {
  return unavailable(
    "the storage accepts no changes at the moment; nothing was changed; try again later",
    cause,
  );
}

/** Returns the problem of a read that the storage could not answer. */
export function readUnavailable(cause: unknown): Problem {
  return unavailable("the storage cannot be read at the moment; try again later", cause);
}

function unavailable(message: string, cause: unknown): Problem {
  return new Problem({ kind: "unavailable", reason: "OVERLOADED", message, retryAfterMs: 5000, cause });
}
