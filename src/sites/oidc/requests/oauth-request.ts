import type { Origin } from "../../../kernel/base/call.ts";
import type { UserId } from "../../../kernel/base/ids.ts";
import type { AssertionUse } from "../../../identity/protocol-state/assertion-uses/assertion-use.ts";
import type { Form, Lists } from "./form.ts";

/** A request to an endpoint that clients call with a form. */
export interface OAuthRequest {
  readonly issuer: string;
  /** The URL of the endpoint that is called, made of the issuer. */
  readonly endpoint: string;
  /** The URL of the token endpoint, which any assertion may be made for. */
  readonly tokenEndpoint: string;
  readonly verb: string;
  readonly form: Form;
  readonly lists: Lists;
  /** The header `authorization`; undefined when there is none. */
  readonly authorization: string | undefined;
  /** The header `dpop` as it was sent; undefined when there is none. */
  readonly dpop: string | undefined;
  /** Address of the client, without port; undefined when it is unknown. */
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
  /** Makes a signal that is aborted when the client is gone. Only writes need one. */
  readonly makeSignal: () => AbortSignal;
  readonly assertion: AssertionNotes;
}

/** What is known of the assertion of a request while it is answered. */
export interface AssertionNotes {
  /** Learns that an assertion has authenticated the client, and so must not be good again. */
  readonly note: (use: AssertionUse) => void;
  /** Learns that the write of the request has recorded it. */
  readonly settle: () => void;
}

/** Returns the origin of events that an application causes: the user has let it act. */
export function originOfRequest(
  { remoteAddress, requestId }: Pick<OAuthRequest, "remoteAddress" | "requestId">,
  editor: UserId,
): Origin {
  return { editor, remoteAddress, requestId };
}
