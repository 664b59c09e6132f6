import type { Call } from "../../base/call.ts";
import type { ReadTransaction } from "../../base/database.ts";
import { getProject } from "../projects/repository.ts";
import { type Application, applicationNotFound } from "./application.ts";
import { findApplication } from "./repository.ts";

/** How a caller names an application. */
export interface ApplicationName {
  readonly projectId: string;
  readonly applicationId: string;
}

/** Returns the application of a project that is open to the caller. Raises NOT_FOUND (project, application). */
export async function getApplication(
  tx: ReadTransaction,
  call: Call,
  asked: ApplicationName,
): Promise<Application> {
  const project = await getProject(tx, call.access, asked.projectId);
  const application = await findApplication(tx, project.id, asked.applicationId);
  if (application === undefined) throw applicationNotFound(asked.applicationId);
  return application;
}
