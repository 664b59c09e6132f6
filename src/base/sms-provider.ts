/** A text for a phone number in E.164 form (`+41791234567`). */
export interface SmsMessage {
  readonly to: string;
  readonly text: string;
}

/** Delivers text messages. */
export interface SmsProvider {
  /**
   * Resolves when the message was handed over. Rejects when it was not, in bounded time, after all tries; then it may still
   * arrive if an answer was lost. The error holds neither the text nor the number.
   */
  send(message: SmsMessage): Promise<void>;
}
