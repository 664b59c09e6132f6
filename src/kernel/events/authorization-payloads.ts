/** What a page showed that an application would be given. */
export interface ShownGiftPayload {
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
