import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { type IdentityProviderId, toId } from "../../../src/kernel/base/ids.ts";
import type { ExternalIdentity } from "../../../src/identity/people/identity-links/external-identity.ts";
import { LoginPolicyService } from "../../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { StylingType } from "../../../gen/gatehouse/v1/identity_provider_pb.ts";
import type { Page } from "playwright-core";
import {
  addOrganization,
  addPerson,
  password,
  type ServicePerson,
} from "../../sites/login/support/people.ts";
import { createApplication, type TestApplication } from "../../sites/oidc/support/application.ts";
import { authorizePath } from "../../sites/oidc/support/signed-in.ts";
import type { TestService } from "../../support/service.ts";
import { generateRecoveryCodes, registerTotp } from "../../support/totp.ts";
import { createCaller, createProject, createServiceUser, idOf, uniqueName } from "../../support/world.ts";
import type { LoginBrowserStage } from "./login-stage.ts";

/** An organization with an application that people log in to. */
export interface FacePlace {
  readonly stage: LoginBrowserStage;
  readonly organizationId: string;
  readonly application: TestApplication;
  /** Makes somebody of the organization who has a password. */
  addPerson(): Promise<ServicePerson>;
  /** Where the application asks for a login. */
  url(parameters?: Readonly<Record<string, string | undefined>>): string;
}

/** Makes an organization with an application. `policy` is its own; without one the default is in force. */
export async function createFacePlace(stage: LoginBrowserStage, policy?: object): Promise<FacePlace> {
  const { service } = stage;
  const organizationId = await addOrganization(service, "Lamp Works");
  const call = createCaller(service, organizationId);
  if (policy !== undefined) await call(LoginPolicyService.method.updateLoginPolicy, policy);
  const projectId = await createProject(service, organizationId);
  const uris = [stage.application.redirectUri];
  const settings = {
    name: "Time Sheets",
    redirectUris: uris,
    postLogoutRedirectUris: uris,
    devMode: true,
  };
  const application = await createApplication(service, { organizationId, projectId }, settings);
  return {
    stage,
    organizationId,
    application,
    addPerson: () => addPerson(service, organizationId),
    url: (parameters) => `http://localhost:${service.port}${authorizePath(application, parameters)}`,
  };
}

/** Gives the place identity providers: plain ones with these names, and one that looks like Google's. */
export async function addProviders(
  { stage, organizationId }: FacePlace,
  names: readonly string[],
): Promise<void> {
  const call = createCaller(stage.service, organizationId);
  const oidc = { clientId: "lamp", clientSecret: "secret of the client", scopes: [] };
  for (const name of [...names, "Google"]) {
    const stylingType = name === "Google" ? StylingType.GOOGLE : StylingType.UNSPECIFIED;
    await call(IdentityProviderService.method.addOidcIdentityProvider, {
      ...oidc,
      name,
      stylingType,
      issuer: "https://accounts.example.com",
    });
  }
}

/** An identity at a provider of a place. */
export interface NewIdentity {
  readonly identity: ExternalIdentity;
  /** Somebody of the place, who may have its email. */
  readonly owner: ServicePerson;
}

/**
 * Makes an identity of a provider of the place that is linked to nobody. With `hasAccount` somebody has its verified email; with
 * `isListed` the place has a policy of its own, which lists the provider.
 */
export async function addNewIdentity(
  { stage, organizationId, addPerson: add }: FacePlace,
  {
    autoRegister,
    hasAccount = false,
    isListed = false,
  }: { readonly autoRegister: boolean; readonly hasAccount?: boolean; readonly isListed?: boolean },
): Promise<NewIdentity> {
  const { service } = stage;
  const issuer = "https://directory.example.com";
  const call = createCaller(service, organizationId);
  const added = await call(IdentityProviderService.method.addOidcIdentityProvider, {
    clientId: "c",
    clientSecret: "secret of the client",
    name: uniqueName("Directory"),
    issuer,
    autoRegister,
  });
  const idpId = idOf(added, "idpId");
  if (isListed) await call(LoginPolicyService.method.addIdpToLoginPolicy, { idpId });
  const email = `${uniqueName("grace").toLowerCase().replaceAll(" ", "-")}@example.com`;
  const owner = await add();
  if (hasAccount) {
    const verification = { case: "isVerified", value: true } as const;
    await service.call(UserService.method.setEmail, { userId: owner.id, email, verification });
  }
  const claims = { preferredUsername: "grace.hopper", email, emailVerified: true, givenName: "Grace" };
  const identity = {
    providerId: toId<IdentityProviderId>(idpId),
    issuer,
    subject: "1",
    claims,
  };
  return { identity, owner };
}

/**
 * Lets a manager of the organization give somebody an app and recovery codes, and then somebody else a role that the manager has not:
 * the next login asks about both. Returns the app.
 */
export async function setUpByOthers(
  service: TestService,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
) {
  const { token } = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  const manager: TestService = {
    ...service,
    call: (method, request) => service.call(method, request, token),
  };
  const app = await registerTotp(manager, userId);
  await generateRecoveryCodes(manager, userId);
  const scope = { case: "instance", value: true } as const;
  await service.call(MembershipService.method.addMembership, { userId, scope, roles: ["INSTANCE_VIEWER"] });
  return app;
}

/** Types name and password on the first page, whatever its language. */
export async function typePassword(page: Page, { username }: ServicePerson, typed = password): Promise<void> {
  await page.locator("#username").fill(username);
  await page.locator("#password").fill(typed);
  await page.locator("form[action$='/password'] button").click();
}
