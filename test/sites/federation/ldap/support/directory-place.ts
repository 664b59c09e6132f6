import type { MessageInitShape } from "@bufbuild/protobuf";
import type { LdapConfigSchema } from "../../../../../gen/gatehouse/v1/identity_provider_pb.ts";
import { GroupService } from "../../../../../gen/gatehouse/v1/group_service_pb.ts";
import { IdentityProviderService } from "../../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { canaries } from "../../../../support/canaries.ts";
import type { CallableService, TestService } from "../../../../support/service.ts";
import type { TestDirectory, TestEntry } from "../../../../support/directory/test-directory.ts";
import { createCaller, idOf, uniqueName } from "../../../../support/world.ts";
import { createApplication } from "../../../oidc/support/application.ts";
import { createLoginPlace } from "../../../oidc/support/login-place.ts";
import type { UserAgent, Visited } from "../../../oidc/support/user-agent.ts";
import { beginLogin, type FederationPlace } from "../../support/place.ts";

/** Where people and groups of test directories are. */
export const base = "dc=example,dc=org";
/** The service account of test directories. */
export const serviceAccount = { dn: `cn=reader,${base}`, password: "password of the reader" };

/** The configuration of a directory, for a provider. */
export type DirectorySettings = Omit<MessageInitShape<typeof LdapConfigSchema>, "$typeName">;

/** Makes an entry of somebody. What it says of them is personal data: events and the log must not have it in the clear. */
export function personEntry(uid: string, more: TestEntry["attributes"] = {}): TestEntry {
  const entry: TestEntry & { readonly password: string } = {
    dn: `uid=${uid},ou=people,${base}`,
    password: `password of ${uid}`,
    attributes: {
      objectClass: ["inetOrgPerson"],
      entryUUID: `00000000-0000-4000-8000-${Buffer.from(uid).toString("hex").padStart(12, "0").slice(-12)}`,
      uid,
      mail: `${uid}@example.org`,
      givenName: "Given",
      sn: "Family",
      displayName: `Given Family ${uid}`,
      ...more,
    },
  };
  const { entryUUID, mail, displayName } = entry.attributes;
  for (const value of [entry.dn, uid, entryUUID, mail, displayName].flat())
    if (typeof value === "string") canaries.addPersonal("a value of the directory", value);
  canaries.add("password of the directory", entry.password);
  return entry;
}

/** The entry of the service account. */
export const readerEntry: TestEntry = { ...serviceAccount, attributes: {} };

/** Makes an organization with an application and a directory. */
export async function createDirectoryPlace(
  service: CallableService,
  { url }: Pick<TestDirectory, "url">,
  settings: DirectorySettings = {},
  { autoRegister = true }: { readonly autoRegister?: boolean } = {},
): Promise<FederationPlace & { readonly name: string }> {
  const place = await createLoginPlace(service);
  const application = await createApplication(service, place);
  const name = uniqueName("Directory");
  const value = { ...directorySettings(url), ...settings };
  const added = await createCaller(service, place.organizationId)(
    IdentityProviderService.method.createIdentityProvider,
    { name, autoRegister, config: { case: "ldap", value } },
  );
  return { ...place, application, idpId: idOf(added, "idpId"), name };
}

/** The configuration of a directory on loopback. */
export function directorySettings(url: string): DirectorySettings {
  return {
    servers: [url],
    plainText: url.startsWith("ldap:"),
    bindDn: serviceAccount.dn,
    bindPassword: serviceAccount.password,
    baseDn: base,
    userFilter: "(objectClass=*)",
    loginAttributes: ["uid", "mail"],
  };
}

/** Begins a login and chooses the directory. Returns its form. */
export async function openDirectory(
  service: Pick<TestService, "port">,
  place: FederationPlace,
  browser: UserAgent,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Visited> {
  const page = await beginLogin(service, place, browser, parameters);
  return await browser.submit(page, { provider: place.idpId });
}

/** Logs in at the directory. Returns where the browser ends. */
export async function logInAtDirectory(
  service: Pick<TestService, "port">,
  place: FederationPlace,
  browser: UserAgent,
  [username, password]: readonly [string, string],
  parameters: Readonly<Record<string, string>> = {},
): Promise<Visited> {
  const form = await openDirectory(service, place, browser, parameters);
  return await browser.submit(form, { username, password });
}

/** Adds a group whose members the directory decides about. */
export async function addDirectoryGroup(
  service: CallableService,
  { organizationId, idpId }: FederationPlace,
  externalId: string,
): Promise<string> {
  const added = await createCaller(service, organizationId)(GroupService.method.addGroup, {
    name: uniqueName("Group"),
    externalId,
    source: { case: "sourceIdpId", value: idpId },
  });
  return idOf(added, "id");
}

/** Lists the users in a group. */
export async function listMembers(
  service: CallableService,
  { organizationId }: FederationPlace,
  groupId: string,
): Promise<readonly string[]> {
  const listed = await createCaller(service, organizationId)(GroupService.method.listGroupMembers, {
    groupId,
  });
  const members = (listed["members"] ?? []) as unknown as readonly { readonly userId: string }[]; // as the proto has it
  return members.map(({ userId }) => userId);
}
