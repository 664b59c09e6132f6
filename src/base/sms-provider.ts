/** A text for a phone number in E.164 form (`+41791234567`). */
export interface SmsMessage {
  readonly to: string;
  readonly text: string;
}

/** Delivers text messages. */
export interface SmsProvider {
  /**
   * Resolves when the message was handed over. Otherwise rejects, in bounded time and after all attempts; the message
   * may still arrive if only the answer was lost. The error holds neither the text nor the number.
   */
  send(message: SmsMessage): Promise<void>;
}
