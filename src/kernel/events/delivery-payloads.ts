/** The payloads of what could not be delivered, with the rules of `payloads.ts`. They have no address, no code and no answer. */
export interface DeliveryPayloads {
  /**
   * A mail was given up. What it was for: `verification` of the address, `password_reset`, an `invitation`, or a `security_notice`.
   */
  "user.email.delivery.failed": { readonly message: string };
  /** As of mails; only codes for the verification go to phones. */
  "user.phone.delivery.failed": { readonly message: string };
  /** After its last try the application had not heard that the session has ended. */
  "application.logout_token.dropped": {
    readonly session_id: string;
    /** What became of the last try: `forbidden`, `unreachable`, `refused`, `held_up` or `process_ended`. */
    readonly cause: string;
  };
}
