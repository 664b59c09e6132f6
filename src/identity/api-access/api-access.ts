import { holdsOnInstance } from "../../kernel/base/permission.ts";
import { permissionDenied } from "../../kernel/base/problem.ts";
import type { CommandTransaction } from "../context.ts";
import { findInstanceId } from "../instance/repository.ts";
import { type ApiAccessPlace, hasApiAccess } from "./repository.ts";

/**
 * Refuses a caller who does not hold project.app.write for the whole instance. Raises PERMISSION_DENIED.
 *
 * An application with api_access can do whatever its users may do. So its owner alone must not decide that, nor anything that
 * decides where its tokens go: an administrator of the instance who follows a link to the application would hand over the instance.
 */
export async function requireForApiAccess(command: Pick<CommandTransaction, "tx" | "call">): Promise<void> {
  await requireOnInstance(command, "an application may call this API for its users (api_access)");
}

/** Refuses a caller who does not hold project.app.write for the whole instance, with the reason for it. Raises PERMISSION_DENIED. */
export async function requireOnInstance(
  { tx, call }: Pick<CommandTransaction, "tx" | "call">,
  reason: string,
): Promise<void> {
  if (holdsOnInstance(call.caller.held, "project.app.write")) return;
  throw permissionDenied(
    "project.app.write",
    await findInstanceId(tx),
    `${reason}, so this needs the permission project.app.write for the whole instance`,
  );
}

/** Refuses such a caller where an application there has api_access, ACTIVE or not. Raises PERMISSION_DENIED. */
export async function requireForApiAccessIn(
  command: Pick<CommandTransaction, "tx" | "call">,
  place: ApiAccessPlace,
): Promise<void> {
  if (holdsOnInstance(command.call.caller.held, "project.app.write")) return;
  if (await hasApiAccess(command.tx, place)) await requireForApiAccess(command);
}
