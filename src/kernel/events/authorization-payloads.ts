/** What a page showed that an application would be given. */
export interface ShownGiftPayload {
  /** Of the metadata of the user, each key behind `metadata:`. */
  readonly claims: readonly string[];
  /** The projects and applications that the tokens are for, besides the application and its project. */
  readonly audiences: readonly string[];
  readonly api_scopes: readonly string[];
  readonly offline_access: boolean;
}

/** What users have agreed to. */
export interface ConfirmedPayload {
  readonly user_id: string;
  readonly application_id: string;
  /** Absent: nobody recorded it, and it does not count. */
  readonly shown?: ShownGiftPayload;
}

/** That a code, or an assertion, was issued. */
export interface GrantedPayload {
  readonly user_id: string;
  readonly application_id: string;
  readonly session_id: string;
  readonly scopes: readonly string[];
  /** The session had the application before, and no page was shown for this login. */
  readonly is_renewal?: true;
}

/** A claim of one's own as it was set. */
export interface ClaimMappingPayload {
  readonly name: string;
  readonly source: string;
  /** Of metadata; else empty. */
  readonly key: string;
  /** Of a profile field; else empty. */
  readonly profile_field: string;
  /** Of a constant; else empty. */
  readonly constant: string;
  readonly type: string;
  readonly targets: readonly string[];
  /** Empty: told always. */
  readonly scope: string;
  /** The user who answers for it; empty unless the source is metadata. */
  readonly author_id: string;
}

/** All claims of an object. */
export interface ClaimMappingsPayload {
  readonly mappings: readonly ClaimMappingPayload[];
}

/** The payloads of claim mappings, and of what organizations share for them. A claim is left out of a token for the first time once. */
export interface ClaimPayloads {
  "project.claims.set": ClaimMappingsPayload;
  "application.claims.set": ClaimMappingsPayload;
  "project.claim.left_out": { readonly name: string };
  "application.claim.left_out": { readonly name: string };
  "organization.metadata.shared": {
    readonly shared: readonly { readonly key: string; readonly shared_with: readonly string[] }[];
  };
}
