import { randomUUID } from "node:crypto";
import { callRest, layLoginGround, type RestService } from "../../demo/login-ground.ts";
import { endLogin, openUserAgent } from "../../sites/oidc/support/user-agent.ts";
import { makePartyKeys } from "../../sites/saml/node-saml/party-keys.ts";
import { toQuery, writeRequest } from "../../sites/saml/support/messages.ts";
import { createHttpClient } from "../../support/http-client.ts";

/** What a browser with a session sends: requests for a login that are answered, and others that are refused. */
export interface SamlGround {
  readonly headers: Readonly<Record<string, string>>;
  readonly good: readonly string[];
  /** Their signature is another one's, so that they are refused as late as possible. */
  readonly bad: readonly string[];
}

/** Makes a service provider that signs its requests, and somebody who has logged in to it. */
export async function fillSamlGround(service: RestService): Promise<SamlGround> {
  const { issuer, person } = await layLoginGround(service);
  const keys = makePartyKeys();
  const origin = `https://${randomUUID()}.example`;
  const metadata =
    `<m:EntityDescriptor xmlns:m="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${origin}">` +
    `<m:SPSSODescriptor AuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">` +
    `<m:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${keys.certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></m:KeyDescriptor>` +
    `<m:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${origin}/acs" index="0"/></m:SPSSODescriptor></m:EntityDescriptor>`;
  const project = await callRest(service, "/v1/projects", { name: `Portal ${randomUUID()}` });
  await callRest(service, `/v1/projects/${project["id"]}/apps/saml`, {
    name: "Portal",
    metadataXml: Buffer.from(metadata).toString("base64"),
  });
  const toPath = (signer = keys) => {
    const destination = `${issuer}/saml/v2/SSO`;
    const xml = writeRequest({ entityId: origin, id: `_${randomUUID()}`, nowMs: Date.now(), destination });
    return `/saml/v2/SSO?${toQuery("SAMLRequest", xml, { relayState: "here", keys: signer })}`;
  };
  const good = Array.from({ length: 50 }, () => toPath());
  const stranger = makePartyKeys();
  const http = createHttpClient(service.url);
  const agent = openUserAgent({ origin: issuer, send: (request) => http.send(request) });
  await endLogin(agent, await agent.open(issuer + toPath()), person);
  http.close();
  const [cookie = ""] = [...agent.cookies].map(([name, value]) => `${name}=${value}`);
  return {
    headers: { accept: "text/html", host: new URL(issuer).host, cookie },
    good,
    bad: good.map(() => toPath(stranger)),
  };
}
