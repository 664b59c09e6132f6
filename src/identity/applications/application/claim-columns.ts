/** What decides about claims of an application's own, as `identity/claim-mappings` and `identity/hooks` write it. */
export interface ClaimColumns {
  readonly of_project: string;
  readonly of_application: string;
  /** Below which name hooks of the application fill in claims; empty: they do not. */
  readonly hook_claim: string;
}

/** Selects them in a statement that calls the tables `application` and `project`. */
export const claimColumns =
  "project.claim_mappings AS of_project, application.claim_mappings AS of_application, application.hook_claim AS hook_claim";
