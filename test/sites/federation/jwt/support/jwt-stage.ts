import { IdentityProviderService } from "../../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import {
  type BrowserPage,
  createPageBrowser,
  formsOf,
  type PageBrowser,
} from "../../../login/support/browser.ts";
import { decodeJwt, type JWTPayload } from "jose";
import { UserService } from "../../../../../gen/gatehouse/v1/user_service_pb.ts";
import { sweepLogins } from "../../../../../src/sites/login/sweep.ts";
import { askForTokens } from "../../../oidc/support/machine.ts";
import { createApplication, type TestApplication } from "../../../oidc/support/application.ts";
import {
  createLoginPlace,
  createPerson,
  type LoginPlace,
  type TestPerson,
} from "../../../oidc/support/login-place.ts";
import { authorizePath, redemption } from "../../../oidc/support/signed-in.ts";
import { canaries } from "../../../../support/canaries.ts";
import { startService, type TestService } from "../../../../support/service.ts";
import { createCaller, idOf, uniqueName } from "../../../../support/world.ts";
import { type Gateway, type GatewayAnswer, startGateway } from "./gateway.ts";

/** A service with an application, and a JWT provider behind a gateway. */
export interface JwtStage {
  readonly service: TestService;
  readonly issuer: string;
  readonly gateway: Gateway;
  readonly place: LoginPlace;
  readonly application: TestApplication;
  readonly providerId: string;
  /** Opens a browser without cookies. */
  browser(): PageBrowser;
  /** Begins a login in a browser, and chooses the provider. */
  begin(browser: PageBrowser, providerId?: string): Promise<GatewayTrip>;
  /** Chooses the provider in a login that has begun. */
  goAgain(browser: PageBrowser, id: string, providerId?: string): Promise<GatewayTrip>;
  /** Makes another JWT provider of the organization. */
  addProvider(
    config?: Partial<ProviderConfig>,
    settings?: { readonly autoRegister?: boolean },
  ): Promise<string>;
  /** Makes somebody with a password, linked to that subject at the provider. */
  linkPerson(subject: string, providerId?: string): Promise<TestPerson>;
  /** The claims of somebody who can get an account. */
  claimsOf(subject: string): object;
  /** Lets a browser with that session in at the gateway, and returns the URL with the handle. */
  handleUrl(trip: GatewayTrip, gatewayCookie: string): Promise<string>;
  /** Does the same, and opens the URL in the browser. */
  comeBack(browser: PageBrowser, trip: GatewayTrip, gatewayCookie: string): Promise<BrowserPage>;
  /** Redeems the code that a browser takes to the application, and returns the claims of the ID token. */
  redeem(page: BrowserPage): Promise<JWTPayload>;
  /** Counts the users of the organization. */
  countUsers(): Promise<number>;
  /** Deletes what is too old. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

/** A browser that is sent to the gateway. */
export interface GatewayTrip {
  /** The URL of the gateway. */
  readonly url: string;
  /** Of the interaction. */
  readonly id: string;
  /** The path of Gatehouse that the gateway forwards to. */
  readonly path: string;
}

interface ProviderConfig {
  readonly jwtEndpoint: string;
  readonly issuer: string;
  readonly keysEndpoint: string;
  readonly headerName: string;
  readonly audiences: string[];
}

export const headerName = "x-gateway-token";

/** Starts the stage. */
export async function startJwtStage(): Promise<JwtStage> {
  const service = await startService({ dev: true });
  const issuer = `http://localhost:${service.port}`;
  const gateway = await startGateway(service.url, { clock: service.clock, headerName });
  const place = await createLoginPlace(service);
  const application = await createApplication(service, place);
  const browsers: PageBrowser[] = [];
  const handleUrl: JwtStage["handleUrl"] = async ({ url }, cookie) =>
    handleUrlOf(await gateway.visit(url, cookie));
  const addProvider: JwtStage["addProvider"] = async (config = {}, settings = {}) => {
    const { jwtEndpoint, keysEndpoint } = gateway;
    const value = { jwtEndpoint, keysEndpoint, issuer: gateway.issuer, headerName, audiences: [], ...config };
    const made = await createCaller(service, place.organizationId)(
      IdentityProviderService.method.createIdentityProvider,
      { name: uniqueName("Gateway"), ...settings, config: { case: "jwt", value } },
    );
    return idOf(made, "idpId");
  };
  const firstProviderId = await addProvider();
  return {
    service,
    issuer,
    gateway,
    place,
    application,
    providerId: firstProviderId,
    browser() {
      const browser = createPageBrowser(service.url, issuer);
      browsers.push(browser);
      return browser;
    },
    begin: async (browser, providerId = firstProviderId) =>
      await choose(await browser.open(authorizePath(application)), providerId),
    goAgain: async (browser, id, providerId = firstProviderId) =>
      await choose(await browser.open(`/login/${id}`), providerId),
    addProvider,
    async linkPerson(subject, providerId = firstProviderId) {
      const person = await createPerson(service, place.organizationId);
      const { userId } = person;
      await service.call(UserService.method.addIdpLink, {
        userId,
        idpId: providerId,
        externalUserId: subject,
        externalUsername: subject,
      });
      return person;
    },
    claimsOf(subject) {
      const email = `${uniqueName(subject).replaceAll(" ", "-")}@example.com`;
      canaries.addPersonal("email of a JWT", email);
      const names = { given_name: "Grace", family_name: "Hopper", preferred_username: uniqueName(subject) };
      return { ...names, email, email_verified: true };
    },
    handleUrl,
    comeBack: async (browser, trip, cookie) => await browser.open(await handleUrl(trip, cookie)),
    async redeem({ location, text }) {
      const code = location === undefined ? null : new URL(location).searchParams.get("code");
      if (code === null) throw new Error(`no code: ${location} ${text}`);
      canaries.add("code", code);
      const { status, json } = await askForTokens(service, redemption(application, code));
      if (status !== 200) throw new Error(`no tokens: ${JSON.stringify(json)}`);
      return decodeJwt(String(json["id_token"]));
    },
    async countUsers() {
      const list = createCaller(service, place.organizationId);
      const { result } = await list(UserService.method.listUsers, {});
      return Array.isArray(result) ? result.length : 0;
    },
    sweep: () => sweepLogins(service.context),
    async stop() {
      for (const browser of browsers) browser.close();
      gateway.stop();
      await service.stop();
    },
  };
}

/** Chooses a provider on the page of the password. */
async function choose(page: BrowserPage, providerId: string): Promise<GatewayTrip> {
  const [, id = ""] = /^\/login\/(\d+)$/.exec(page.path) ?? [];
  const index = formsOf(page.text).findIndex(({ action }) => action.endsWith("/idp"));
  const sent = await page.submit({ provider: providerId }, { index });
  if (sent.location === undefined) throw new Error(`not sent to the gateway: ${sent.path} ${sent.text}`);
  const query = new URL(sent.location).searchParams;
  canaries.add("userAgentID", query.get("userAgentID") ?? "");
  return { url: sent.location, id, path: gatewayPathOf(query) };
}

function gatewayPathOf(query: URLSearchParams): string {
  return `/ui/login/login/jwt/authorize?authRequestID=${query.get("authRequestID")}&userAgentID=${query.get("userAgentID")}`;
}

/** Reads the URL with the handle that Gatehouse sends the browser to. Throws if it is sent elsewhere. */
export function handleUrlOf({ status, location, text }: GatewayAnswer): string {
  const handle = /\/login\/\d+\/idp\?h=([\w-]{43})$/.exec(location)?.[1];
  if (status !== 303 || handle === undefined) throw new Error(`no handle: ${status} ${location} ${text}`);
  canaries.add("handle", handle);
  return location;
}
