import {
  type IdentityLinkId,
  type IdentityProviderId,
  type OrganizationId,
  toId,
  type UserId,
} from "../../../../src/kernel/base/ids.ts";
import {
  addIdentityProvider,
  type IdentityProvider,
  type IdentityProviderSettings,
} from "../../../../src/identity/providers/identity-provider.ts";
import type { OidcConfig } from "../../../../src/identity/providers/oidc.ts";
import type { LoginPolicy } from "../../../../src/identity/policies/login-policy.ts";
import { findLoginPolicy } from "../../../../src/identity/policies/repository.ts";
import { addIdentityLink } from "../../../../src/identity/people/identity-links/identity-link.ts";
import type {
  ExternalIdentity,
  IdentityClaims,
} from "../../../../src/identity/people/identity-links/external-identity.ts";
import type { LoginRequest } from "../../../../src/sites/login/login-request.ts";
import type { BrowserPage, PageBrowser } from "./browser.ts";
import { comeBack } from "./identity-site.ts";
import type { LoginStage, Person } from "./login-stage.ts";

/** The issuer of every provider, unless a test says another one. */
export const issuer = "https://idp.example";

/** An organization with an identity provider and an application. */
export interface IdentityPlace {
  readonly organization: OrganizationId;
  readonly provider: IdentityProvider;
  /** What a request for a login to the application of the organization says. */
  readonly request: { readonly applicationId: ReturnType<typeof toId> & LoginStage["application"] };
}

/** Makes a place. Its policy is the default of the instance unless the test says a setting: then it lists the provider. */
export async function addIdentityPlace(
  stage: LoginStage,
  {
    policy,
    ...settings
  }: Partial<IdentityProviderSettings & OidcConfig> & { readonly policy?: Partial<LoginPolicy> } = {},
): Promise<IdentityPlace> {
  const organization = await stage.addOrganization();
  const { application: applicationId } = await stage.addApplication(organization);
  const provider = await addProvider(stage, organization, settings);
  if (policy !== undefined) {
    await stage.setPolicy(organization, policy);
    const stored = await stage.fixture.database.read((tx) => findLoginPolicy(tx, organization));
    await stage.event(
      "login_policy.idp.added",
      { id: stored?.id ?? "", organization },
      { idp_id: provider.id },
    );
  }
  return { organization, provider, request: { applicationId } };
}

/** Adds an ACTIVE identity provider of OpenID Connect; without auto_register and mappings unless a test says so. */
export async function addProvider(
  stage: LoginStage,
  organization: OrganizationId,
  settings: Partial<IdentityProviderSettings & OidcConfig> = {},
): Promise<IdentityProvider> {
  const id = toId<IdentityProviderId>(stage.fixture.context.ids.next());
  const {
    name = `Provider ${id}`,
    stylingType = "STYLING_TYPE_UNSPECIFIED",
    autoRegister = false,
    ...own
  } = settings;
  const config = {
    kind: "oidc",
    clientId: "client",
    clientSecretId: `idp-client-secret:${id}`,
    issuer,
    scopes: [],
    displayNameMapping: "OIDC_MAPPING_FIELD_UNSPECIFIED",
    usernameMapping: "OIDC_MAPPING_FIELD_UNSPECIFIED",
    ...own,
  } as const;
  const added = { name, stylingType, autoRegister };
  await stage.fixture.record(
    addIdentityProvider({ id, organizationId: organization, settings: added, config }),
  );
  const details = { sequence: 0, creationDate: 0, resourceOwner: organization };
  return { id, details, state: "ACTIVE", config, ...added };
}

let subjects = 0;

/** Makes an identity of a provider that nobody has had before; with a verified email of nobody and all names, unless a test says so. */
export function newIdentity(
  provider: IdentityProvider,
  claims: Partial<IdentityClaims> = {},
  of: Partial<ExternalIdentity> = {},
): ExternalIdentity {
  subjects += 1;
  const name = `outside-${subjects}`;
  return {
    providerId: provider.id,
    issuer: provider.config.issuer,
    subject: `subject ${subjects}`,
    claims: {
      preferredUsername: name,
      email: `${name}@elsewhere.example`,
      emailVerified: true,
      givenName: "Grace",
      familyName: "Hopper",
      ...claims,
    },
    ...of,
  };
}

/** Links the identity to the user, by whoever the test says. */
export async function addLink(
  stage: LoginStage,
  person: Pick<Person, "id">,
  { provider, identity }: { readonly provider: IdentityProvider; readonly identity: ExternalIdentity },
): Promise<IdentityLinkId> {
  const id = toId<IdentityLinkId>(stage.fixture.context.ids.next());
  const names = { externalUserId: identity.subject, externalUsername: "" };
  const user = { id: person.id, details: provider.details };
  await stage.fixture.record(addIdentityLink(id, { user, provider, identity: names }));
  return id;
}

/** Adds a person of the place with a link. */
export async function addLinkedPerson(stage: LoginStage, place: IdentityPlace) {
  const person = await stage.addPerson(place.organization);
  const identity = newIdentity(place.provider);
  const linkId = await addLink(stage, person, { provider: place.provider, identity });
  return { person, identity, linkId };
}

/** Lists who the identities of a provider are linked to. */
export async function readLinks(stage: LoginStage, provider: IdentityProvider) {
  return await stage.fixture.database.read((tx) =>
    tx.all<{ user_id: UserId; external_user_id: string }>(
      "SELECT user_id, external_user_id FROM idp_links WHERE idp_id = ? ORDER BY external_user_id",
      [provider.id],
    ),
  );
}

/** Verifies the email of a person, and sets another one if the test says so. */
export async function verifyEmailOf(
  stage: LoginStage,
  person: Person,
  {
    organization,
    email = `${person.username}@example.test`,
  }: {
    readonly organization: OrganizationId;
    readonly email?: string;
  },
): Promise<string> {
  const about = { aggregateId: person.id, resourceOwner: organization };
  await stage.fixture.record(
    { ...about, type: "user.email.set", payload: { email } },
    { ...about, type: "user.email.verified", payload: {} },
  );
  return email;
}

/** Begins a login at the application of the place, and comes back from the provider with the identity. */
export async function arrive(
  stage: LoginStage,
  place: IdentityPlace,
  identity: ExternalIdentity,
  request: Partial<LoginRequest> = {},
): Promise<{ readonly browser: PageBrowser; readonly asked: BrowserPage; readonly page: BrowserPage }> {
  const browser = stage.browser();
  const asked = await browser.open(stage.path({ ...place.request, ...request }));
  return { browser, asked, page: await comeBack(browser, asked, identity) };
}

/** Follows the link of an error page to the other ways to log in. */
export async function chooseAnotherWay(browser: PageBrowser, page: BrowserPage): Promise<BrowserPage> {
  const [, path] = /<a href="([^"]*)">Sign in another way</.exec(page.text) ?? [];
  if (path === undefined) throw new Error(`there is no other way: ${page.text}`);
  return await browser.open(path);
}

/** Lists what a page lets people choose. */
export function choicesOf(page: BrowserPage): readonly string[] {
  return [...page.text.matchAll(/name="choice" value="([a-z]+)"/g)].map(([, choice = ""]) => choice);
}

/** Sends the form of a page that makes the choice. */
export async function choose(
  page: BrowserPage,
  choice: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<BrowserPage> {
  const index = choicesOf(page).indexOf(choice);
  if (index === -1) throw new Error(`no choice ${choice}: ${page.text}`);
  return await page.submit(fields, { index });
}
