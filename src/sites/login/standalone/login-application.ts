import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type OrganizationId, toId } from "../../../kernel/base/ids.ts";
import { findApplication } from "../../../identity/applications/repository.ts";
import { findOrganization } from "../../../identity/organizations/repository.ts";
import { findProject } from "../../../identity/projects/repository.ts";
import type { LoginApplication } from "../login-state.ts";

/** Finds an application that users can log in to; undefined unless it, its project and its organization are ACTIVE. */
export async function findLoginApplication(
  tx: ReadTransaction,
  id: string,
): Promise<LoginApplication | undefined> {
  const application = await findApplication(tx, id);
  if (application?.state !== "ACTIVE") return undefined;
  const ownerId = toId<OrganizationId>(application.details.resourceOwner);
  const organization = await findOrganization(tx, ownerId);
  const project = await findProject(tx, ownerId, application.projectId);
  if (organization?.state !== "ACTIVE" || project?.state !== "ACTIVE") return undefined;
  return { application, project, organization };
}
