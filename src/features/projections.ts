import { applicationProjection } from "./applications/repository.ts";
import { identityProviderProjection } from "./identity-providers/repository.ts";
import { membershipProjection } from "./memberships/repository.ts";
import { organizationProjection } from "./organizations/repository.ts";
import { projectProjection } from "./projects/repository.ts";
import { userGrantProjection } from "./user-grants/repository.ts";
import { userProjection } from "./users/repository.ts";

/** The projections of all features, in the order in which their tables refer to each other. */
export const projections = [
  organizationProjection,
  userProjection,
  identityProviderProjection,
  projectProjection,
  userGrantProjection,
  membershipProjection,
  applicationProjection,
];
