import { element, type XmlFragment } from "../../../kernel/xml/write.ts";

/** Why a service provider that asked for a login gets no assertion: the second level of a status (SAML Core §3.2.2.2). */
export type LoginFailure =
  | "InvalidNameIDPolicy"
  | "NoAuthnContext"
  | "NoPassive"
  | "AuthnFailed"
  | "UnknownPrincipal"
  | "RequestDenied"
  | "RequestUnsupported";

/** The result of a logout. PartialLogout counts as success: SAML Core §3.7.3.2. */
export type LogoutOutcome = "Success" | "PartialLogout" | "UnknownPrincipal";

/** What a message of ours may say. */
export type SamlStatus = LoginFailure | LogoutOutcome;

/**
 * Ends a request whose service provider is known and may be answered: it gets a Response with that status (SAML Core §3.2.2). A request
 * that cannot be answered ends in a SamlFault instead.
 */
export class SamlRefusal extends Error {
  readonly status: LoginFailure;

  constructor(status: LoginFailure) {
    super(`the service provider is answered ${status}`);
    this.name = "SamlRefusal";
    this.status = status;
  }
}

/** Writes a status of one or two levels, without a message: SAML Core §3.2.2.1. */
export function writeStatus(status: SamlStatus): XmlFragment {
  const top = topLevels[status];
  const second =
    status === "Success" ? undefined : element("samlp:StatusCode", { Value: toStatusUri(status) });
  return element("samlp:Status", {}, [element("samlp:StatusCode", { Value: toStatusUri(top) }, [second])]);
}

/** Returns the URI of a status code. */
export function toStatusUri(code: SamlStatus | "Requester" | "Responder"): string {
  return `urn:oasis:names:tc:SAML:2.0:status:${code}`;
}

const topLevels: Readonly<Record<SamlStatus, "Success" | "Requester" | "Responder">> = {
  Success: "Success",
  PartialLogout: "Success",
  InvalidNameIDPolicy: "Requester",
  RequestUnsupported: "Requester",
  NoAuthnContext: "Responder",
  NoPassive: "Responder",
  AuthnFailed: "Responder",
  UnknownPrincipal: "Responder",
  RequestDenied: "Responder",
};
