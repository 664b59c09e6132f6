import type { MessageInitShape } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import type { GuardedFetch } from "../../../../../src/kernel/outbound/guarded-fetch.ts";
import { startService, type TestService } from "../../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../../support/world.ts";
import { createApplication } from "../../../oidc/support/application.ts";
import { createLoginPlace } from "../../../oidc/support/login-place.ts";
import type { FederationPlace } from "../../support/place.ts";
import type { ProviderTricks, TestProvider } from "../../support/provider.ts";

type Request = MessageInitShape<typeof IdentityProviderService.method.createIdentityProvider.input>;

/** Starts a service that finds the provider of an origin at another one. */
export async function startBeside(origin: string, standIn: () => string): Promise<TestService> {
  const reroute = (url: string) =>
    url.startsWith(`${origin}/`) ? standIn() + url.slice(origin.length) : url;
  const wrapFetch = (fetcher: GuardedFetch): GuardedFetch => ({
    ...fetcher,
    get: (url, options) => fetcher.get(reroute(url), options),
    getOnce: (url, options) => fetcher.getOnce(reroute(url), options),
    post: (url, fields, options) => fetcher.post(reroute(url), fields, options),
  });
  return await startService({ dev: true }, { wrapFetch });
}

/** Makes an organization with an application, whose users log in at a provider of a template. */
export async function createTemplatePlace(
  service: TestService,
  config: NonNullable<Request["config"]>,
  { autoRegister = true }: { readonly autoRegister?: boolean } = {},
): Promise<FederationPlace> {
  const place = await createLoginPlace(service);
  const application = await createApplication(service, place);
  const request = { name: uniqueName("Provider"), autoRegister, config };
  const call = createCaller(service, place.organizationId);
  const added = await call(IdentityProviderService.method.createIdentityProvider, request);
  return { ...place, application, idpId: idOf(added, "idpId") };
}

/** Returns what makes the provider on loopback one at these addresses. */
export function livingAt(origin: string, metadata: object = {}): ProviderTricks {
  return {
    metadata: {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      jwks_uri: `${origin}/keys`,
      userinfo_endpoint: `${origin}/userinfo`,
      authorization_response_iss_parameter_supported: false,
      ...metadata,
    },
    claims: { iss: origin },
    returned: { iss: undefined },
  };
}

/** Returns what makes the provider on loopback an Entra: each tenant is an issuer of its own, and one place is that of all tenants. */
export function entraOf({ issuer: base }: TestProvider): NonNullable<ProviderTricks["answers"]> {
  const document = (issuer: string) => ({
    issuer: `${base}/${issuer}/v2.0`,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: `${base}/token`,
    jwks_uri: `${base}/keys`,
  });
  const of = (place: string, issuer = place) => [
    `/${place}/v2.0/.well-known/openid-configuration`,
    (response: Parameters<NonNullable<ProviderTricks["answers"]>[string]>[0]) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(document(issuer)));
    },
  ];
  return Object.fromEntries([
    of(tenants.one),
    of(tenants.two),
    of("organizations", "{tenantid}"),
    of("common", "{tenantid}"),
  ]) as NonNullable<ProviderTricks["answers"]>; // pairs of a path and its answer
}

/** Ids of tenants. */
export const tenants = {
  one: "11111111-aaaa-4aaa-8aaa-111111111111",
  two: "22222222-bbbb-4bbb-8bbb-222222222222",
  other: "33333333-cccc-4ccc-8ccc-333333333333",
} as const;
