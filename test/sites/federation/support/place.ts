import type { MessageInitShape } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { createApplication, type TestApplication } from "../../oidc/support/application.ts";
import { createLoginPlace, type LoginPlace } from "../../oidc/support/login-place.ts";
import { authorizePath } from "../../oidc/support/signed-in.ts";
import { openUserAgent, type UserAgent, type Visited } from "../../oidc/support/user-agent.ts";
import type { CallableService, TestService } from "../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../support/world.ts";
import type { TestProvider } from "./provider.ts";

/** An organization with an application, whose users log in at a provider. */
export interface FederationPlace extends LoginPlace {
  readonly application: TestApplication;
  readonly idpId: string;
}

type Settings = MessageInitShape<typeof IdentityProviderService.method.addOidcIdentityProvider.input>;

/** Makes an organization with an application and a provider. Each place knows the provider under an id of its own. */
export async function createFederationPlace(
  service: CallableService,
  provider: Pick<TestProvider, "issuer" | "clientId" | "clientSecret">,
  settings: Omit<Settings, "$typeName"> = {},
): Promise<FederationPlace> {
  const place = await createLoginPlace(service);
  const application = await createApplication(service, place);
  const idpId = await addProvider(service, place.organizationId, provider, settings);
  return { ...place, application, idpId };
}

/** Adds a provider to an organization, and returns its id. */
export async function addProvider(
  service: CallableService,
  organizationId: string,
  { issuer, clientId, clientSecret }: Pick<TestProvider, "issuer" | "clientId" | "clientSecret">,
  settings: Omit<Settings, "$typeName"> = {},
): Promise<string> {
  const call = createCaller(service, organizationId);
  const added = await call(IdentityProviderService.method.addOidcIdentityProvider, {
    name: uniqueName("Provider"),
    issuer,
    clientId,
    clientSecret,
    ...settings,
  });
  return idOf(added, "idpId");
}

/** Opens a browser of that service. */
export function openBrowser(service: TestService): UserAgent {
  const origin = `http://localhost:${service.port}`;
  return openUserAgent({ origin, send: (request) => service.http.send(request) });
}

/** Begins a login at the application, and returns the first page. */
export async function beginLogin(
  service: Pick<TestService, "port">,
  { application }: Pick<FederationPlace, "application">,
  browser: UserAgent,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<Visited> {
  return await browser.open(`http://localhost:${service.port}${authorizePath(application, parameters)}`);
}

/** Begins a login, and presses the button of the provider. Returns where the browser is sent to. */
export async function leaveForProvider(
  service: Pick<TestService, "port">,
  place: Pick<FederationPlace, "application" | "idpId">,
  browser: UserAgent,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<URL> {
  const page = await beginLogin(service, place, browser, parameters);
  return (await browser.submit(page, { provider: place.idpId })).url;
}

/** Returns the status and the title of a page. */
export function titleOf({ page }: Visited): readonly [status: number | undefined, title: string | undefined] {
  return [page?.status, /<h1[^>]*>([^<]*)<\/h1>/.exec(page?.text ?? "")?.[1]];
}

/** Lists the users of the organization. */
export async function listUsers(
  service: CallableService,
  { organizationId }: Pick<FederationPlace, "organizationId">,
): Promise<readonly unknown[]> {
  const listed = await createCaller(service, organizationId)(UserService.method.listUsers, {});
  return (listed["users"] ?? []) as readonly unknown[]; // a list, or absent
}
