/** A mail before it is addressed. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}
