import { IdentityProviderService } from "../../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import type { CallableService, TestService } from "../../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../../support/world.ts";
import { createApplication } from "../../../oidc/support/application.ts";
import { createLoginPlace } from "../../../oidc/support/login-place.ts";
import type { UserAgent, Visited } from "../../../oidc/support/user-agent.ts";
import { type FederationPlace, leaveForProvider, openBrowser } from "../../support/place.ts";
import type { AnswerTricks, TestSamlIdp } from "./saml-idp.ts";

/** What a test may set of the provider. */
export interface SamlSettings {
  readonly autoRegister?: boolean;
  readonly idAttribute?: string;
  readonly trustMail?: boolean;
  /** In place of the metadata themselves. */
  readonly metadataUrl?: string;
}

/** Makes an organization with an application, whose users log in at a provider of SAML. */
export async function createSamlPlace(
  service: CallableService,
  { entityId, metadata }: Pick<TestSamlIdp, "entityId" | "metadata">,
  { autoRegister = true, metadataUrl = "", ...settings }: SamlSettings = {},
): Promise<FederationPlace> {
  const place = await createLoginPlace(service);
  const application = await createApplication(service, place);
  const metadataXml = metadataUrl === "" ? metadata : "";
  const added = await createCaller(service, place.organizationId)(
    IdentityProviderService.method.createIdentityProvider,
    {
      name: uniqueName("SAML"),
      autoRegister,
      config: { case: "saml", value: { entityId, metadataUrl, metadataXml, ...settings } },
    },
  );
  return { ...place, application, idpId: idOf(added, "idpId") };
}

/** Logs in at the provider, which answers like that, in a new browser by default. Returns where the browser ends. */
export async function logInBySaml(
  service: TestService,
  { place, idp }: { readonly place: FederationPlace; readonly idp: TestSamlIdp },
  tricks: AnswerTricks = {},
  browser: UserAgent = openBrowser(service),
): Promise<Visited> {
  const left = await leaveForProvider(service, place, browser);
  return await browser.post(acsOf(service), idp.answer(left, tricks));
}

/** Where answers go. */
export function acsOf(service: Pick<TestService, "port">): string {
  return `http://localhost:${service.port}/idps/saml/acs`;
}

/** Reads the certificate for that use from our metadata. */
export async function readOwnCertificate(
  service: TestService,
  use: "signing" | "encryption",
): Promise<string> {
  const { status, text } = await service.http.send({
    method: "GET",
    path: "/idps/saml/metadata",
    headers: {},
  });
  if (status !== 200) throw new Error(`no metadata: ${status}`);
  const found = new RegExp(`use="${use}">.*?<ds:X509Certificate>([^<]+)<`).exec(text);
  return found?.[1] ?? "";
}
