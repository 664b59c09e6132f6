import { isConsole } from "../identity/applications/oidc/console.ts";
import type { Database } from "../kernel/base/database.ts";
import { fieldInvalid, notFound } from "../kernel/base/problem.ts";
import { listApplicationsNamed, type NamedApplication } from "./repository.ts";

/** Finds the application with the client id, or the only one with the name. Raises NOT_FOUND, and FIELD_INVALID if several have it. */
export async function findNamedApplication(
  database: Pick<Database, "read">,
  name: string,
): Promise<NamedApplication> {
  if (isConsole(name)) return { id: name, kind: "oidc", projectId: "" };
  const [found, other] = await database.read((tx) => listApplicationsNamed(tx, name));
  if (other !== undefined)
    throw fieldInvalid("application", "several applications have this name; send the client id");
  if (found === undefined) throw notFound("application", name);
  return found;
}
