import { hash } from "node:crypto";
import { pino } from "pino";
import {
  type ApplicationId,
  type InstanceId,
  type LoginPolicyId,
  type OrganizationId,
  type ProjectId,
  type SessionId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import { parseConfig } from "../../../../src/config/config.ts";
import type { NewEvent } from "../../../../src/kernel/events/event.ts";
import {
  addOidcApplication,
  type OidcSettings,
} from "../../../../src/identity/applications/oidc/oidc-application.ts";
import { giftClaims } from "../../../../src/identity/logins/authorizations/gift.ts";
import { addOrganization } from "../../../../src/identity/organizations/organization.ts";
import { addProject, type Project, type ProjectSettings } from "../../../../src/identity/projects/project.ts";
import type { SessionMethod } from "../../../../src/identity/logins/sessions/session.ts";
import type { HashCost } from "../../../../src/identity/people/passwords/encoded-hash.ts";
import { createPasswordHasher } from "../../../../src/identity/people/passwords/hasher.ts";
import { testPasswordCost } from "../../../support/password-cost.ts";
import { createTexter, type Texter } from "../../../../src/identity/people/phones/texter.ts";
import type { MailMessage, SmsMessage } from "../../../../src/kernel/base/message-providers.ts";
import { createMailer, type Mailer } from "../../../../src/identity/people/emails/mailer.ts";
import { createUserLogins } from "../../../../src/identity/user-service/logins.ts";
import { putPasswordHash } from "../../../../src/identity/people/passwords/repository.ts";
import { addHumanUser } from "../../../../src/identity/people/user/user.ts";
import { createFederation } from "../../../../src/sites/federation/sites.ts";
import { createBodyReader } from "../../../../src/kernel/http/bodies/body.ts";
import type { Limits } from "../../../../src/kernel/http/connections/limits.ts";
import { createMetrics } from "../../../../src/kernel/http/metrics/metrics.ts";
import { createServer } from "../../../../src/kernel/http/server.ts";
import { type Reply, reply } from "../../../../src/kernel/http/exchanges/reply.ts";
import type { Site } from "../../../../src/kernel/http/site.ts";
import { createSamlKeys } from "../../../../src/identity/signing-keys/saml-keys.ts";
import { createDirectories } from "../../../../src/kernel/outbound/directory/directories.ts";
import { createGuardedFetch, type GuardedFetch } from "../../../../src/kernel/outbound/guarded-fetch.ts";
import { createHooks } from "../../../../src/identity/hooks/calls/hooks.ts";
import { createBrands } from "../../../../src/identity/branding/brands.ts";
import { createLoginPages } from "../../../../src/sites/login/flow/sites.ts";
import type { LoginProtocol } from "../../../../src/sites/login/login-protocol.ts";
import type { LoginRequest } from "../../../../src/sites/login/login-request.ts";
import type { Logins } from "../../../../src/sites/login/logins.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import {
  addLoginPolicy,
  changeLoginPolicy,
  defaultSettings,
  type LoginPolicy,
} from "../../../../src/identity/policies/login-policy.ts";
import { findLoginPolicy } from "../../../../src/identity/policies/repository.ts";
import { humanProfile, oidcSettings, projectSettings } from "../../../support/samples.ts";
import { identitySite } from "./identity-site.ts";
import { createPageBrowser, type PageBrowser } from "./browser.ts";

/** What a login ended with. */
export interface EndedLogin {
  readonly userId: UserId;
  readonly sessionId: SessionId;
  readonly methods: readonly SessionMethod[];
  readonly authTimeMs: number;
}

/** The pages on a port, with a protocol that only records. */
export interface LoginStage {
  readonly fixture: FeatureFixture;
  readonly issuer: string;
  readonly url: string;
  /** What was mailed, oldest first. */
  readonly mails: MailMessage[];
  /** What went out by SMS, oldest first. */
  readonly texts: SmsMessage[];
  readonly texter: Texter;
  readonly mailer: Mailer;
  /** The logins that ended well, oldest first. */
  readonly ended: EndedLogin[];
  /** The owner of the application that every browser logs in to. */
  readonly owner: OrganizationId;
  readonly project: ProjectId;
  readonly application: ApplicationId;
  /** Returns the path by which a browser begins a login. */
  path(request?: Partial<LoginRequest>): string;
  browser(): PageBrowser;
  addOrganization(name?: string): Promise<OrganizationId>;
  /** Adds an organization with a policy of its own: the defaults but for what the test says. */
  addOrganizationWith(settings: Partial<LoginPolicy>): Promise<OrganizationId>;
  /** Gives an organization, or the instance, such a policy, in place of the one that it has. */
  setPolicy(resourceOwner: string, settings: Partial<LoginPolicy>): Promise<void>;
  /** Records an event of a person, or of something else of an organization. */
  event(
    type: NewEvent["type"],
    about: { readonly id: string; readonly organization: string },
    payload?: NewEvent["payload"],
  ): Promise<void>;
  addApplication(
    owner: OrganizationId,
    settings?: Partial<ProjectSettings>,
    oidc?: Partial<OidcSettings>,
  ): Promise<{ readonly project: ProjectId; readonly application: ApplicationId }>;
  /** Adds a user with `password`. */
  addPerson(organizationId: OrganizationId): Promise<Person>;
  /** What happens once, after the code of an app was found to be right and before it is noted. */
  afterNextCheck(happen: () => Promise<void>): void;
  log(): string;
  stop(): Promise<void>;
}

/** A user who can log in. */
export interface Person {
  readonly id: UserId;
  readonly organization: OrganizationId;
  readonly username: string;
}

/** The password of everybody: one hash is enough. */
export const password = "correct horse battery";

/** The one password that is known from a breach. */
export const breachedPassword = "a phrase that has leaked";
const sumOf = (text: string) => hash("sha1", text, "hex").toUpperCase();

const relyingParties = { list: [], allowSubdomains: false, name: "Gatehouse" } as const;

/** Where the application is. */
export const callback = "https://application.example/callback";
/** Where a login leads that has ended well. */
export const done = `${callback}?code=1`;

/** Starts the pages. The issuer is https by default, as behind a proxy that ends TLS; `local`: http on localhost. */
export async function startLoginStage(
  mode: "https" | "local" = "https",
  narrow: Partial<Limits> = {},
  passwordCost: HashCost = testPasswordCost,
  {
    hasMail = true,
    toFetcher = (fetcher) => fetcher,
  }: {
    readonly hasMail?: boolean;
    /** Changes how identity providers are asked. */
    readonly toFetcher?: (fetcher: GuardedFetch) => GuardedFetch;
  } = {},
): Promise<LoginStage> {
  const fixture = await openFeatureFixture();
  const { context, record } = fixture;
  const limits = { ...parseConfig({}, {}).limits, ...narrow };
  const ended: EndedLogin[] = [];
  const passwords = createPasswordHasher({
    parallelism: 2,
    maxWaiting: 64,
    random: context.random,
    cost: passwordCost,
  });
  let log = "";
  const logger = pino({ level: "debug" }, { write: (line: string) => void (log += line) });
  let issuer = "https://login.example";
  const mails: MailMessage[] = [];
  const mailer = createMailer(context, {
    provider: hasMail ? { send: async (mail) => void mails.push(mail) } : undefined,
    onFailure: (failure) => logger.warn({ ...failure }, "mail.not_delivered"),
  });
  const bodies = createBodyReader(limits);
  const fetcher = toFetcher(createGuardedFetch({ dev: true, allowedHosts: [] }));
  const directories = createDirectories({ dev: true, allowedHosts: [], plainTextHosts: [] });
  const texts: SmsMessage[] = [];
  const texter = createTexter(context, {
    provider: hasMail ? { send: async (sms) => void texts.push(sms) } : undefined,
    onFailure: (failure) => logger.warn({ ...failure }, "sms.not_delivered"),
  });
  const users = createUserLogins(context, relyingParties, { mailer, texter });
  let afterCheck = async () => {};
  const totp: typeof users.totp = {
    ...users.totp,
    async check(...asked) {
      const tried = await users.totp.check(...asked);
      const happen = afterCheck;
      afterCheck = async () => {};
      await happen();
      return tried;
    },
  };
  const federation = createFederation({
    context,
    fetcher,
    directories,
    logger,
    samlKeys: createSamlKeys(context, toId<InstanceId>("1")),
  });
  const pages = createLoginPages({
    brands: createBrands(fixture.context.database),
    context,
    passwords,
    hooks: createHooks(context, toId("1"), {
      call: async () => ({ kind: "failed", failure: "UNREACHABLE" }),
    }),
    breached: { has: async (sum) => sum === sumOf(breachedPassword) },
    mailer,
    ...users,
    totp,
    bodies,
    logger,
    issuer: () => issuer,
    protocols: {
      oidc: async () => createProtocol(ended),
      saml: async () => createProtocol(ended),
      device: async () => createProtocol(ended),
      account: async () => createProtocol(ended),
    },
    providers: federation.load,
  });
  const { logins } = pages;
  const metrics = createMetrics({ waitingWrites: () => 0 });
  const refuse: NonNullable<Site["refuse"]> = async (exchange, problem) =>
    answer(exchange, { status: 500, body: problem.message });
  const server = createServer({
    host: "127.0.0.1",
    port: 0,
    tls: undefined,
    isHttpsOnly: false,
    limits,
    trustedProxies: ["127.0.0.1"],
    sites: [
      ...pages.sites,
      ...federation.createSites(pages),
      pages.createSite(identitySite),
      createApplicationSite(logins, () => issuer),
    ],
    refuse,
    renderProblem: () => ({ contentType: "text/plain", body: "" }),
    metrics,
    logger,
    random: context.random,
  });
  const { port } = await server.start();
  if (mode === "local") issuer = `http://localhost:${port}`;
  const url = `http://127.0.0.1:${port}`;
  const encoded = await passwords.hash(password);
  const nextId = () => context.ids.next();
  const browsers: PageBrowser[] = [];
  const addNamed = async (name = `Organization ${nextId()}`) => {
    const id = toId<OrganizationId>(nextId());
    await record(addOrganization(id, name));
    return id;
  };
  const setPolicy: LoginStage["setPolicy"] = async (resourceOwner, settings) => {
    const stored = await fixture.database.read((tx) => findLoginPolicy(tx, resourceOwner));
    const wanted = { ...defaultSettings, ...settings };
    const added = { id: toId<LoginPolicyId>(nextId()), resourceOwner, settings: wanted };
    await record(...(stored === undefined ? [addLoginPolicy(added)] : changeLoginPolicy(stored, wanted)));
  };
  const addApplication: LoginStage["addApplication"] = async (owner, settings, oidc) => {
    const project = toId<ProjectId>(nextId());
    const application = toId<ApplicationId>(nextId());
    const event = addProject(project, owner, projectSettings({ name: `project ${project}`, ...settings }));
    await record(event, toApplicationEvent({ id: application, project, owner, oidc }));
    return { project, application };
  };
  const owner = await addNamed("Owner & Sons");
  const first = await addApplication(owner);
  return {
    fixture,
    issuer,
    url,
    mails,
    texts,
    texter,
    mailer,
    ended,
    owner,
    ...first,
    path: (request = {}) => {
      const asked = { ...plainRequest(first.application), ...request };
      return `/test/authorize?${new URLSearchParams({ request: JSON.stringify(asked) }).toString()}`;
    },
    browser() {
      const browser = createPageBrowser(url, issuer);
      browsers.push(browser);
      return browser;
    },
    addOrganization: addNamed,
    async addOrganizationWith(settings) {
      const id = await addNamed();
      await setPolicy(id, settings);
      return id;
    },
    setPolicy,
    async event(type, { id, organization }, payload = {}) {
      const event = { type, aggregateId: id, resourceOwner: organization, payload };
      await record(event as NewEvent); // the payload is what the test says
    },
    addApplication,
    async addPerson(organizationId) {
      const id = toId<UserId>(nextId());
      const username = `person-${id}`;
      const profile = humanProfile({ username, email: `${username}@example.test` });
      await fixture.database.write((tx) => putPasswordHash(tx, id, encoded));
      await record(addHumanUser(id, organizationId, profile), {
        type: "user.password.set",
        aggregateId: id,
        resourceOwner: organizationId,
        payload: { change_required: false, by: "system" },
      });
      return { id, organization: organizationId, username };
    },
    afterNextCheck: (happen) => void (afterCheck = happen),
    log: () => log,
    async stop() {
      for (const browser of browsers) browser.close();
      await server.stop();
      await fixture.close();
    },
  };
}

/** Logs in with name and password from the page that asks for them. */
export async function logIn(stage: LoginStage, browser: PageBrowser, person: Person, request = {}) {
  const page = await browser.open(stage.path(request));
  return await page.submit({ username: person.username, password });
}

function plainRequest(applicationId: ApplicationId): LoginRequest {
  return {
    protocol: "oidc",
    applicationId,
    organizationId: undefined,
    prompts: [],
    maxAgeSeconds: undefined,
    loginHint: undefined,
    uiLocales: [],
    wantsMfa: false,
    subject: undefined,
    scopes: ["openid", "email"],
    data: { state: "state of the application" },
  };
}

function createProtocol(ended: EndedLogin[]): LoginProtocol {
  return {
    async finish(_tx, { session: { session, user, methods, authTimeMs } }) {
      ended.push({ userId: user.id, sessionId: session.id, methods, authTimeMs });
      return { answer: { kind: "redirect", location: done }, events: [] };
    },
    // As OpenID Connect does it, but for projects: those are told by `test/sites/oidc`.
    listGift: async (_tx, { request: { scopes } }) => ({
      gift: {
        claims: giftClaims.filter((claim) => claim === "identity" || scopes.includes(claim)),
        metadata: [],
        audiences: [],
        apiScopes: [],
        offlineAccess: scopes.includes("offline_access"),
      },
      projects: [],
    }),
    findWayBack: async () => `${callback}?back`,
    refuse: async (_tx, { refusal }) => ({ kind: "redirect", location: `${callback}?error=${refusal}` }),
  };
}

/** Stands for the endpoint of a protocol: it takes the request of an application as it is. */
function createApplicationSite(logins: Logins, issuer: () => string): Site {
  return {
    name: "application",
    paths: "others",
    cors: undefined,
    admission: "call",
    async handle(exchange) {
      const text = new URLSearchParams(exchange.query).get("request") ?? "{}";
      return answer(exchange, await logins.begin(exchange, issuer(), JSON.parse(text) as LoginRequest));
    },
  };
}

function answer(exchange: Parameters<typeof reply>[0], answered: Reply) {
  reply(exchange, answered);
  return { operation: undefined, protocol: "http", code: answered.status };
}

function toApplicationEvent(input: {
  readonly id: ApplicationId;
  readonly project: ProjectId;
  readonly owner: OrganizationId;
  readonly oidc: Partial<OidcSettings> | undefined;
}): NewEvent {
  const details = { sequence: 0, creationDate: 0, resourceOwner: input.owner };
  const project: Project = { ...projectSettings(), id: input.project, details, state: "ACTIVE" };
  return addOidcApplication({
    id: input.id,
    project,
    name: "Demo <App>",
    settings: oidcSettings({ redirectUris: [callback], ...input.oidc }),
  });
}
