import type { Logger } from "pino";
import type { SamlFault } from "../bindings/saml-fault.ts";

/** The name of messages in the log and the metric before anything is known of them. */
export interface MessageMarks {
  /** Such as `logout`: what the path is for. */
  readonly kind: string;
}

/** A message that was received. */
export interface NotedMessage extends MessageMarks {
  readonly binding: "redirect" | "post";
}

/** What a message is counted by. Every label has few values. */
export interface MessageLabels extends NotedMessage {
  /** `accepted`, or the reason of a fault. */
  readonly outcome: string;
}

/** Where it is noted what becomes of messages: nothing of what they hold. */
export interface MessageNotes {
  readonly logger: Pick<Logger, "warn">;
  /** Counts a message in `saml_messages_total`. */
  readonly countMessage: (labels: MessageLabels) => void;
}

/** Notes a message that was in order. */
export function noteAccepted({ countMessage }: MessageNotes, { kind, binding }: NotedMessage): void {
  countMessage({ kind, binding, outcome: "accepted" });
}

/** Notes a message that goes no further. `applicationId`: of the sender, if it is known. */
export function noteRefused(
  { countMessage, logger }: MessageNotes,
  fault: SamlFault,
  { kind, binding, applicationId }: NotedMessage & { readonly applicationId: string | undefined },
): void {
  const { reason, message, algorithm } = fault;
  countMessage({ kind, binding, outcome: reason });
  logger.warn(
    { application_id: applicationId, kind, binding, reason, rule: message, algorithm },
    "saml.refused",
  );
}

/** Notes that a login was answered. `outcome`: `success`, or the status that says why not. */
export function noteAnswered({ countMessage }: Pick<MessageNotes, "countMessage">, outcome: string): void {
  countMessage({ kind: "login-answer", binding: "post", outcome });
}
