/** An invitation that a user has not taken yet. */
export interface Invitation {
  /** When its last mail was sent, in microseconds since 1970. */
  readonly sendDate: number;
  /** When its link stops working, in microseconds since 1970; perhaps in the past. */
  readonly expirationDate: number;
  /** Empty: it names no application. The application may have been removed since. */
  readonly applicationId: string;
}

/** What the table of users has of it. */
export interface InvitationRow {
  readonly invitation_date: number | null;
  readonly invitation_expiration_date: number | null;
  readonly invitation_application_id: string | null;
}

/** The columns of the row. */
export const invitationColumns: readonly (keyof InvitationRow)[] = [
  "invitation_date",
  "invitation_expiration_date",
  "invitation_application_id",
];

/** Reads the invitation of a user; undefined without one. */
export function toInvitation(row: InvitationRow): Invitation | undefined {
  const { invitation_date: sendDate, invitation_expiration_date: expirationDate } = row;
  if (sendDate === null || expirationDate === null) return undefined;
  return { sendDate, expirationDate, applicationId: row.invitation_application_id ?? "" };
}
