/** The part of a payload that names the people that could have made the login in which a user has set something. */
export interface LoginOriginPayload {
  /**
   * Somebody else who could have made that login, and so answers for it instead of the editor. `idp`: the administrators of the
   * identity provider where that login began alone. `idp:` and the id of a user: that user could have made it, and the
   * administrators of the provider could, too. `several`: several others could. Absent: only the user could.
   */
  readonly login_by?: string;
  /** The token with which they set the way by which the user logged in. */
  readonly login_with_token_id?: string;
}
