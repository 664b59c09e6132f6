import type { Secret } from "../../../kernel/base/secret.ts";
import type { ProviderMetadata } from "./discovery.ts";

/**
 * How the client secret is sent. `basic`: in the header, encoded as RFC 6749 §2.3.1 says. `raw-basic`: in the header as it is
 * (RFC 7617 §2), for providers that do not decode it. `form`: in the body.
 */
export type SecretStyle = "basic" | "raw-basic" | "form";

/** A client as the provider knows it. */
export interface ProviderClient {
  readonly clientId: string;
  readonly clientSecret: Secret;
}

/**
 * Lists the styles to try at the token endpoint until one is taken, the one of the standard first. There is more than one only if the
 * id or secret has characters that the encoding changes: otherwise a refusal means that the secret is wrong.
 */
export function listSecretStyles(
  { clientId, clientSecret }: ProviderClient,
  { wantsSecretInForm, takesSecretInForm }: Pick<ProviderMetadata, "wantsSecretInForm" | "takesSecretInForm">,
): readonly SecretStyle[] {
  if (wantsSecretInForm) return ["form"];
  const secret = clientSecret.reveal();
  if (encode(clientId) === clientId && encode(secret) === secret) return ["basic"];
  const raw = clientId.includes(":") ? [] : (["raw-basic"] as const); // RFC 7617 §2: the secret begins after the first one
  return ["basic", ...raw, ...(takesSecretInForm ? (["form"] as const) : [])];
}

/** Makes what a request to the token endpoint says of the client. */
export function toSecretParts(
  style: SecretStyle,
  { clientId, clientSecret }: ProviderClient,
): {
  readonly headers: Readonly<Record<string, string>>;
  readonly fields: Readonly<Record<string, string>>;
} {
  const secret = clientSecret.reveal();
  switch (style) {
    case "basic":
      return { headers: toBasic(encode(clientId), encode(secret)), fields: {} };
    case "raw-basic":
      return { headers: toBasic(clientId, secret), fields: {} };
    case "form":
      return { headers: {}, fields: { client_id: clientId, client_secret: secret } };
  }
}

/** Remembers which style a provider has taken. A process that does not know it tries all of them again. */
export interface KnownStyles {
  /** Puts the style that is known for that key first. */
  order(key: string, styles: readonly SecretStyle[]): readonly SecretStyle[];
  /** Remembers that the style was taken. */
  learn(key: string, style: SecretStyle): void;
}

/** More are forgotten, the one that was learned first. */
const maxKnown = 500;

/** Creates a memory that knows nothing yet. */
export function createKnownStyles(): KnownStyles {
  const known = new Map<string, SecretStyle>();
  return {
    order(key, styles) {
      const first = known.get(key);
      return first === undefined || !styles.includes(first)
        ? styles
        : [first, ...styles.filter((style) => style !== first)];
    },
    learn(key, style) {
      known.delete(key);
      known.set(key, style);
      for (const oldest of known.keys()) {
        if (known.size <= maxKnown) return;
        known.delete(oldest);
      }
    },
  };
}

function toBasic(name: string, password: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}` };
}

/**
 * RFC 6749 Appendix B, as forms are written today (WHATWG URL §5.2). `- . _ *` stay as they are: openid-client 6.9 encodes them too,
 * and so is refused by every provider that does not decode.
 */
function encode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
