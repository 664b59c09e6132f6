import type { Form } from "./form.ts";

/** A request to an endpoint that clients call with a form. */
export interface OAuthRequest {
  readonly issuer: string;
  /** The URL of the endpoint that is called, made of the issuer. */
  readonly endpoint: string;
  /** The URL of the token endpoint, which any assertion may be made for. */
  readonly tokenEndpoint: string;
  readonly form: Form;
  /** The header `authorization`; undefined when there is none. */
  readonly authorization: string | undefined;
  /** Address of the client, without port; undefined when it is unknown. */
  readonly remoteAddress: string | undefined;
  readonly requestId: string;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}
