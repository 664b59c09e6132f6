import { SamlFault } from "./saml-fault.ts";

/** Which of the two parameters a message comes in. */
export type MessageKind = "SAMLRequest" | "SAMLResponse";

/** A parameter: its value, and how it was encoded. */
export interface BindingParameter {
  readonly raw: string;
  readonly value: string;
}

/** The parameters that mean something to a binding (SAML Bindings §3.4.4, §3.5.4). */
export type BindingParameterName = MessageKind | "RelayState" | "SigAlg" | "Signature" | "SAMLEncoding";

/** A message as its parameters bring it. */
export interface BoundParameters {
  readonly parameters: ReadonlyMap<BindingParameterName, BindingParameter>;
  readonly kind: MessageKind;
  readonly message: BindingParameter;
  /** As it was encoded: at most 4,096 bytes, which need not be text. */
  readonly relayState: string | undefined;
}

/** The standard allows 80 bytes, which many exceed. */
const maxRelayStateBytes = 4096;

const names: ReadonlySet<string> = new Set<BindingParameterName>([
  "SAMLRequest",
  "SAMLResponse",
  "RelayState",
  "SigAlg",
  "Signature",
  "SAMLEncoding",
]);

/**
 * Splits what is encoded as a form. Raises a SamlFault for a parameter of ours that is sent twice or cannot be decoded, for a message
 * too many or none, and for a RelayState that is too long. Other parameters are ignored.
 */
export function readParameters(encoded: string): BoundParameters {
  const parameters = new Map<BindingParameterName, BindingParameter>();
  for (const pair of encoded.split("&")) {
    const equals = pair.indexOf("=");
    const name = decodeForm(equals < 0 ? pair : pair.slice(0, equals));
    if (name === undefined || !isOurs(name)) continue;
    const raw = equals < 0 ? "" : pair.slice(equals + 1);
    const value = name === "RelayState" ? decodeBytes(raw) : decodeForm(raw);
    if (value === undefined) throw wrong("a parameter is not encoded as a form in UTF-8");
    if (parameters.has(name)) throw wrong("a parameter is sent more than once");
    parameters.set(name, { raw, value });
  }
  const [request, response] = [parameters.get("SAMLRequest"), parameters.get("SAMLResponse")];
  const message = request ?? response;
  if (message === undefined) throw wrong("there is no message");
  if (request !== undefined && response !== undefined) throw wrong("there are two messages");
  const relayState = parameters.get("RelayState");
  if ((relayState?.value.length ?? 0) > maxRelayStateBytes)
    throw new SamlFault("relay-state", `the RelayState has more than ${maxRelayStateBytes} bytes`);
  const kind = request === undefined ? "SAMLResponse" : "SAMLRequest";
  return { parameters, kind, message, relayState: relayState?.raw };
}

/** Returns the fault of parameters that do not go together. */
export function wrong(message: string): SamlFault {
  return new SamlFault("parameters", message);
}

/** Decodes a name or a value of a form in UTF-8. Undefined for anything else. */
export function decodeForm(text: string): string | undefined {
  if (/[^\0-\x7f]/.test(text)) return undefined; // what is no ASCII has to be percent-encoded
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined; // a percent sign without two digits, or bytes that are not UTF-8
  }
}

/** Decodes a value of a form to bytes, each a character. Undefined for anything else. */
function decodeBytes(text: string): string | undefined {
  if (/[^\0-\x7f]|%(?![\da-f]{2})/i.test(text)) return undefined;
  return text
    .replaceAll("+", " ")
    .replaceAll(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
}

function isOurs(name: string): name is BindingParameterName {
  return names.has(name);
}
