/** The claim mappings of an application and its project, as `identity/claim-mappings` writes them. */
export interface ClaimColumns {
  readonly of_project: string;
  readonly of_application: string;
}

/** Selects them in a statement that calls the tables `application` and `project`. */
export const claimColumns =
  "project.claim_mappings AS of_project, application.claim_mappings AS of_application";
