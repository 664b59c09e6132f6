/**
 * Why an invitation ended: its user has taken it, another code for the password was made, the email address is another one, others
 * have set or removed the password, the user gained roles, or was stopped.
 */
export type InvitationEnd =
  | "accepted"
  | "replaced"
  | "email_changed"
  | "password_changed"
  | "roles_gained"
  | "stopped";

/** The payloads of invitations, with the rules of `payloads.ts`. They have no code and no address. */
export interface InvitationPayloads {
  /** A link was mailed with which the user chooses how to sign in. It takes the place of the former one. */
  "user.invitation.sent": {
    readonly expiration_date: string;
    /** Absent: none is named. */
    readonly application_id?: string;
  };
  /** The link is void. */
  "user.invitation.ended": { readonly cause: InvitationEnd };
}
