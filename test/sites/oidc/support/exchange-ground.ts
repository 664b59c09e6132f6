import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import type { HttpAnswer } from "../../../support/http-client.ts";
import { refusalOf, startService, type TestService } from "../../../support/service.ts";
import { createCaller, createHumanUser, createProject, idOf, uniqueName } from "../../../support/world.ts";
import { createApplication, type TestApplication } from "./application.ts";
import { credentialsOf, getTokens, signIn, type TestBrowser } from "./signed-in.ts";
import { askForExchange, createGateway, exchange, jwtTokens, scopeFor } from "./exchange.ts";
import { type Fields, postForm } from "./machine.ts";

/** A service with applications in which people log in, and others that act for them. */
export interface ExchangeGround {
  readonly service: TestService;
  readonly organizationId: string;
  /** Where people log in: with opaque tokens, and with JWTs. Both may call our API. */
  readonly portal: TestApplication;
  readonly jwtPortal: TestApplication;
  /** What acts for them, likewise. Neither may call our API. */
  readonly gateway: TestApplication;
  readonly jwtGateway: TestApplication;
  /** Somebody who has logged in. */
  readonly browser: TestBrowser;
  createOrganization(): Promise<string>;
  /** Grants a project to an organization, so that its users need not be asked whether they want to log in. */
  letIn(organizationId: string, projectId: string): Promise<void>;
  /** Makes somebody who has logged in, in that organization. */
  createUser(organizationId?: string): Promise<TestBrowser>;
  /** Logs in to the portal, unless another application is named, and returns a token for these gateways. */
  subjectFor(
    gateways?: readonly TestApplication[],
    how?: { readonly at?: TestApplication; readonly as?: TestBrowser; readonly more?: string },
  ): Promise<string>;
  /** Sends a request for an exchange, good but for what the test says. */
  ask(
    by: TestApplication,
    token: string,
    more?: Fields,
    headers?: Readonly<Record<string, string>>,
  ): ReturnType<typeof askForExchange>;
  /** Exchanges a token, and returns the new one. Throws when it is refused. */
  swap(by: TestApplication, token: string, more?: Fields): Promise<string>;
  introspect(token: string, by?: TestApplication): Promise<Readonly<Record<string, unknown>>>;
  userinfo(token: string): Promise<HttpAnswer>;
  /** Says how a call to our own API ends. */
  enter(token: string): Promise<unknown>;
}

/** Starts the service. */
export async function startExchangeGround(): Promise<ExchangeGround> {
  const service = await startService();
  const createOrganization = async () => {
    const name = uniqueName("Organization");
    return idOf(await service.call(OrganizationService.method.addOrganization, { name }), "organizationId");
  };
  const organizationId = await createOrganization();
  const createUser = async (where = organizationId) =>
    await signIn(service, await createHumanUser(service, where));
  const place = { organizationId, projectId: await createProject(service, organizationId) };
  const portal = await createApplication(service, place, { apiAccess: true });
  const gateway = await createGateway(service, organizationId);
  const browser = await createUser();
  return {
    service,
    organizationId,
    portal,
    jwtPortal: await createApplication(service, place, { apiAccess: true, ...jwtTokens }),
    gateway,
    jwtGateway: await createGateway(service, organizationId, jwtTokens),
    browser,
    createOrganization,
    createUser,
    async letIn(grantedOrganizationId, projectId) {
      const grant = { projectId, grantedOrganizationId, roleKeys: [] };
      await createCaller(service, organizationId)(ProjectService.method.addProjectGrant, grant);
    },
    async subjectFor(gateways = [gateway], { at = portal, as = browser, more = "profile" } = {}) {
      const scope = ["openid", more, ...gateways.map(scopeFor)].join(" ");
      return (await getTokens(service, at, { browser: as, scope })).accessToken;
    },
    ask: (by, token, more, headers) => askForExchange(service, by, token, more, headers),
    swap: (by, token, more = {}) => exchange(service, by, token, more),
    async introspect(token, by = gateway) {
      const { text } = await postForm(service, "/oauth/v2/introspect", { token, ...credentialsOf(by) });
      return JSON.parse(text) as Readonly<Record<string, unknown>>;
    },
    userinfo: (token) => {
      const headers = { authorization: `Bearer ${token}` };
      return service.http.send({ method: "GET", path: "/oidc/v1/userinfo", headers });
    },
    async enter(token) {
      const outcome = await service.clients.json.call(UserService.method.getMyUser, {}, { token });
      return outcome.kind === "answer" ? "in" : refusalOf(outcome).reason;
    },
  };
}
