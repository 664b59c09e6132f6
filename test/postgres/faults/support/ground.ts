import { mustCall } from "../../../faults/support/ground.ts";
import { createWriters, type Writers } from "../../../faults/support/writers.ts";
import type { Random } from "../../../hostile/support/random.ts";
import type { RoamingCaller } from "./roaming-caller.ts";

/** Makes what writers need, and so many writers who go on after a call that was cut. */
export async function createTirelessWriters(
  caller: RoamingCaller,
  random: Random,
  count: number,
): Promise<Writers> {
  const { id: projectId } = await mustCall(caller, "ProjectService/AddProject", { name: "ground" });
  for (const roleKey of ["a", "b", "c"])
    await mustCall(caller, "ProjectService/AddProjectRole", { projectId, roleKey });
  return createWriters({ projectId, tag: "t" }, random, { count, isTireless: true });
}
