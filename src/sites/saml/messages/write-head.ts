import type { Random } from "../../../kernel/base/random.ts";
import { toDateTime } from "../../../kernel/xml/date-time.ts";
import { element, type XmlFragment } from "../../../kernel/xml/write.ts";
import type { Signable } from "../../../kernel/xml/signatures/sign-element.ts";
import { samlDeclaration, samlProtocol } from "./identifiers.ts";

/** What every message of ours says of itself. */
export interface HeadToWrite {
  /** Made by `newMessageId`. */
  readonly id: string;
  /** Our entity id. */
  readonly issuer: string;
  /** The URL that the message goes to. */
  readonly destination: string;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** Returns an id that nobody can guess and nobody else has: SAML Core §1.3.4. */
export function newMessageId(random: Random): string {
  return `_${Buffer.from(random.bytes(16)).toString("hex")}`;
}

/** Prepares a message for its signature, which stands behind the Issuer (SAML Core §3.2.1, §3.2.2). */
export function toMessage(
  name: "Response" | "LogoutRequest" | "LogoutResponse",
  { id, issuer, destination, nowMs }: HeadToWrite,
  rest: {
    readonly attributes: Readonly<Record<string, string | undefined>>;
    readonly children: readonly (XmlFragment | undefined)[];
  },
): Signable {
  const attributes = {
    "xmlns:samlp": samlProtocol,
    ID: id,
    Version: "2.0",
    IssueInstant: toDateTime(nowMs),
    Destination: destination,
    ...rest.attributes,
  };
  return {
    id,
    render: (signature) =>
      element(`samlp:${name}`, attributes, [
        element("saml:Issuer", samlDeclaration, [issuer]),
        signature,
        ...rest.children,
      ]),
  };
}
