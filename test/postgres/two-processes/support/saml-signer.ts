import { expect } from "@jest/globals";
import { readAnswer } from "../../../sites/saml/support/saml-answer.ts";
import {
  openBrowser,
  originOf,
  type SamlService,
  type ScriptedParty,
} from "../../../sites/saml/support/scripted-party.ts";

type Service = Pick<SamlService, "port" | "http">;

/** Opens a page at the process. */
export async function getAt(service: Service, path: string): Promise<string> {
  const headers = { host: new URL(originOf(service)).host };
  return (await service.http.send({ method: "GET", path, headers })).text;
}

/** The certificates of the metadata: base64 of the DER. */
export async function publishedAt(service: Service): Promise<readonly string[]> {
  const text = await getAt(service, "/saml/v2/metadata");
  return [...text.matchAll(/X509Certificate>([^<]+)</g)].map(([, certificate = ""]) => certificate);
}

/** Lets the process sign an answer, which says that nobody has a session. Throws unless it is signed by the key of the certificate. */
export async function requireSigner(
  party: ScriptedParty,
  service: Service,
  certificate: string,
): Promise<void> {
  const asked = await party.ask(openBrowser(service), { attributes: { IsPassive: "true" } });
  expect(readAnswer(asked, certificate).status).toBe("Responder/NoPassive");
}
