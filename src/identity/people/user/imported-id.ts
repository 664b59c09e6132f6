import { hash } from "node:crypto";
import type { Call } from "../../../kernel/base/call.ts";
import { holdsOnInstance } from "../../../kernel/base/permission.ts";
import { alreadyExists, permissionDenied, type Problem } from "../../../kernel/base/problem.ts";

/** Returns the SHA-256 of an imported id, which is kept for ever. */
export function digestImportedId(importedId: string): string {
  return hash("sha256", importedId, "hex");
}

/** Refuses a caller who may not say which id a user had in another system. Raises PERMISSION_DENIED. */
export function requireMayImport({ caller }: Pick<Call, "caller">): void {
  const permission = "user.write";
  if (holdsOnInstance(caller.held, permission)) return;
  throw permissionDenied(
    permission,
    undefined,
    `imported_id needs the permission ${permission} instance-wide`,
  );
}

/** Returns the problem of an imported id that another user has. */
export function importedIdTaken(importedId: string): Problem {
  return alreadyExists(
    "user",
    importedId,
    "a user has or had this imported_id, or has it as id; nobody else can get it",
  );
}
