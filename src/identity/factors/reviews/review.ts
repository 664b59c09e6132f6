import type { Details } from "../../../kernel/base/details.ts";
import type { Editor } from "../../../kernel/base/call.ts";
import type { TokenId, UserId } from "../../../kernel/base/ids.ts";
import type { NewEvent } from "../../../kernel/events/event.ts";

/**
 * A way to log in that others have set for a user who has gained roles since: the next login asks whether to keep it. Each kind
 * decides the effect of the answer.
 */
export interface QuestionedWay {
  readonly kind: "U2F" | "TOTP" | "RECOVERY_CODES" | "PASSKEY" | "IDP_LINK";
  /** Tells the ways of a user apart, of whichever kind. */
  readonly id: string;
  readonly details: Details;
  /** What the user knows it by; empty if it has no name. */
  readonly name: string;
  /** Of a link: the identity provider. */
  readonly providerName?: string;
  /** What is recorded if the user keeps it, or removes it. */
  readonly keep: NewEvent;
  readonly remove: NewEvent;
}

/** A way to log in and the user who set it, who may have its key or know its secret. */
export interface WayLineage {
  readonly userId: UserId;
  readonly creator: Editor;
  /** The token of the call; undefined when there was none, or a login. */
  readonly madeWithTokenId: TokenId | undefined;
  /** The user of that token; undefined when there is none, or it is gone. */
  readonly parentUserId: UserId | undefined;
  /** What is recorded if the next login is to ask about it. */
  readonly question: NewEvent;
}
