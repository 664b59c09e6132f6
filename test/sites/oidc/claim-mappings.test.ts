// Claims of one's own (rule H2), in everything that tells a client about a user.
import { afterAll, describe, expect, test } from "@jest/globals";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { decodeJwt } from "jose";
import {
  type ClaimMappingSchema,
  ClaimSource,
  ClaimTarget,
  ClaimType,
  ProfileField,
} from "../../../gen/gatehouse/v1/claim_mapping_pb.ts";
import { ClaimMappingService } from "../../../gen/gatehouse/v1/claim_mapping_service_pb.ts";
import { EventService } from "../../../gen/gatehouse/v1/event_service_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { MetadataService } from "../../../gen/gatehouse/v1/metadata_service_pb.ts";
import { OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { refusalOf, startService } from "../../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createServiceUser,
  createWorld,
  idOf,
  membershipIdOf,
  uniqueName,
} from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { postForm } from "./support/machine.ts";
import { authorize, browse, credentialsOf, getTokens, refresh, signIn } from "./support/signed-in.ts";

const service = await startService();
const world = await createWorld(service);
const { organizationId, projectId } = world;
const inside = createCaller(service, organizationId);
const userId = await createHumanUser(service, organizationId);
const browser = await signIn(service, userId);
afterAll(() => service.stop());

type Mapping = MessageInitShape<typeof ClaimMappingSchema>;
const { setApplicationClaimMappings, setProjectClaimMappings, getApplicationClaimMappings } =
  ClaimMappingService.method;
const everywhere = [
  ClaimTarget.ID_TOKEN,
  ClaimTarget.ACCESS_TOKEN,
  ClaimTarget.USERINFO,
  ClaimTarget.INTROSPECTION,
];
const metadataOf = (name: string, key: string, more: Mapping = {}): Mapping => ({
  name,
  source: ClaimSource.USER_METADATA,
  key,
  targets: everywhere,
  ...more,
});
const constant = (name: string, value: string, more: Mapping = {}): Mapping => ({
  name,
  source: ClaimSource.CONSTANT,
  constant: value,
  targets: everywhere,
  ...more,
});
const setMetadata = (id: string, key: string, value: string) =>
  service.call(MetadataService.method.setUserMetadata, { userId: id, key, value: Buffer.from(value) });
const createApp = (place = { organizationId, projectId }) =>
  createApplication(service, place, { accessTokenType: OidcTokenType.JWT });
const setOf = (application: TestApplication, mappings: readonly Mapping[], by = inside) =>
  by(setApplicationClaimMappings, {
    projectId: application.projectId,
    appId: application.clientId,
    mappings: [...mappings],
  });

const listOf = (claimMappings: unknown) =>
  (claimMappings as { readonly mappings: readonly JsonObject[] }).mappings;

/** Reads the claims of these names in all that an application learns of a user. */
async function learn(
  application: TestApplication,
  names: readonly string[],
  { scope = "openid", by = browser }: { readonly scope?: string; readonly by?: typeof browser } = {},
) {
  const { idToken, accessToken, json } = await getTokens(service, application, { browser: by, scope });
  const headers = { authorization: `Bearer ${accessToken}` };
  const userinfo = await browse(service, "/oidc/v1/userinfo", headers);
  const introspected = await postForm(service, "/oauth/v2/introspect", {
    token: accessToken,
    ...credentialsOf(application),
  });
  const chosen = (claims: Record<string, unknown>) =>
    Object.fromEntries(names.filter((name) => name in claims).map((name) => [name, claims[name]]));
  return {
    idToken: chosen(decodeJwt(idToken)),
    accessToken: chosen(decodeJwt(accessToken)),
    userinfo: chosen(JSON.parse(userinfo.text)),
    introspection: chosen(JSON.parse(introspected.text)),
    scope: json["scope"],
  };
}

describe("a mapping", () => {
  test("tells its claim where it says so, in the type that it says, from each source", async () => {
    const application = await createApp();
    await setMetadata(userId, "level", "7");
    await setMetadata(userId, "tags", "a, b");
    await setMetadata(userId, "shape", '{"size":[1,2],"__proto__":1}');
    await setMetadata(userId, "active", "yes");
    await service.call(MetadataService.method.setOrganizationMetadata, {
      id: organizationId,
      key: "plan",
      value: Buffer.from("gold"),
    });
    const groupId = idOf(await inside(GroupService.method.addGroup, { name: uniqueName("Team") }), "id");
    await inside(GroupService.method.addGroupMembers, { groupId, userIds: [userId] });
    await inside(UserGrantService.method.addUserGrant, { userId, projectId, roleKeys: ["writer", "reader"] });
    await setOf(application, [
      metadataOf("level", "level", { type: ClaimType.NUMBER, targets: [ClaimTarget.ID_TOKEN] }),
      metadataOf("tags", "tags", { type: ClaimType.LIST, targets: [ClaimTarget.ACCESS_TOKEN] }),
      metadataOf("https://example.com/shape", "shape", {
        type: ClaimType.JSON,
        targets: [ClaimTarget.USERINFO],
      }),
      metadataOf("flag", "active", { type: ClaimType.BOOLEAN }), // it has another form
      metadataOf("none", "none"),
      {
        name: "plan",
        source: ClaimSource.ORGANIZATION_METADATA,
        key: "plan",
        targets: [ClaimTarget.INTROSPECTION],
      },
      { name: "teams", source: ClaimSource.GROUPS, targets: [ClaimTarget.USERINFO] },
      { name: "rights", source: ClaimSource.ROLES, targets: [ClaimTarget.ID_TOKEN] },
      constant("env", "true", { type: ClaimType.BOOLEAN, targets: everywhere.slice(0, 2) }),
    ]);
    const names = [
      "level",
      "tags",
      "https://example.com/shape",
      "flag",
      "none",
      "plan",
      "teams",
      "rights",
      "env",
    ];
    const learned = await learn(application, names);
    expect(learned).toEqual({
      idToken: { level: 7, rights: ["reader", "writer"], env: true },
      accessToken: { tags: ["a", "b"], env: true },
      userinfo: {
        "https://example.com/shape": JSON.parse('{"size":[1,2],"__proto__":1}'),
        teams: [expect.stringMatching(/^Team/)],
      },
      introspection: { plan: "gold" },
      scope: "openid",
    });
    const previewed = await inside(ClaimMappingService.method.previewClaims, {
      projectId,
      appId: application.clientId,
      userId,
      scopes: ["openid"],
    });
    const shown = (previewed["previews"] as readonly JsonObject[]).map(({ claims }) =>
      JSON.parse(claims as string),
    );
    expect(shown).toEqual([
      learned.idToken,
      learned.accessToken,
      learned.userinfo,
      learned.introspection,
      {},
    ]);
  });

  test("waits for its scope, which is granted then, and one of a profile field for that of the field", async () => {
    const application = await createApp();
    await setOf(application, [
      constant("hr_unit", "x", { scope: "hr" }),
      {
        name: "login",
        source: ClaimSource.PROFILE_FIELD,
        profileField: ProfileField.GIVEN_NAME,
        targets: everywhere,
      },
    ]);
    const names = ["hr_unit", "login"];
    expect(await learn(application, names)).toMatchObject({ idToken: {}, userinfo: {}, scope: "openid" });
    const told = { hr_unit: "x", login: "Ada" };
    const scope = "openid profile hr";
    expect(await learn(application, names, { scope: `${scope} other` })).toEqual({
      idToken: told,
      accessToken: told,
      userinfo: told,
      introspection: told,
      scope,
    });
    const first = await getTokens(service, application, { browser, scope: "openid hr offline_access" });
    const { json } = await refresh(service, application, first.refreshToken);
    expect(decodeJwt(String(json["id_token"]))).toMatchObject({ hr_unit: "x" });
    await setOf(application, []);
    const again = await refresh(service, application, String(json["refresh_token"]));
    expect([again.status, again.json["scope"]]).toEqual([200, "openid offline_access"]);
  });

  test("of a project holds for all of its applications, unless one has the name itself", async () => {
    const [one, two] = [await createApp(), await createApp()];
    const mappings = [constant("Tier", "project"), constant("Zone", "project")];
    await inside(setProjectClaimMappings, { projectId, mappings });
    await setOf(two, [constant("tier", "two")]);
    const names = ["Tier", "tier", "Zone"];
    expect((await learn(one, names)).idToken).toEqual({ Tier: "project", Zone: "project" });
    expect((await learn(two, names)).idToken).toEqual({ tier: "two", Zone: "project" });
    await inside(setProjectClaimMappings, { projectId, mappings: [] });
    expect((await learn(one, names)).idToken).toEqual({});
  });

  test("is left out where all would have more than 4 KiB: others are not, and it is marked with one event", async () => {
    const application = await createApp();
    await setMetadata(userId, "large", "x".repeat(3000));
    const mappings = [
      metadataOf("first", "large"),
      metadataOf("second", "large"),
      constant("third", "small"),
    ];
    await setOf(application, mappings);
    const names = ["first", "second", "third"];
    for (let round = 0; round < 2; round++) {
      const learned = await learn(application, names);
      for (const place of [learned.idToken, learned.accessToken, learned.userinfo, learned.introspection])
        expect(Object.keys(place)).toEqual(["first", "third"]);
    }
    const asked = { projectId, appId: application.clientId };
    const read = async () => {
      const { claimMappings } = await inside(getApplicationClaimMappings, asked);
      return listOf(claimMappings).map(({ leftOutDate }) => leftOutDate !== undefined);
    };
    expect(await read()).toEqual([false, true, false]);
    const { events } = await inside(EventService.method.listEvents, {
      aggregateId: application.clientId,
      eventType: "application.claim.left_out",
    });
    expect(events).toMatchObject([{ payload: { name: "second" } }]);
    await setOf(application, [...mappings.slice(0, 2), constant("third", "other")]);
    expect(await read()).toEqual([false, true, false]);
    await setOf(application, [metadataOf("second", "large", { targets: [ClaimTarget.ID_TOKEN] })]);
    expect(await read()).toEqual([false]);
  });
});

describe("a mapping tells nothing that its author may not read", () => {
  const callerWith = async (...roles: readonly string[]) => {
    const user = await createServiceUser(service, organizationId, roles[0]);
    return { ...user, by: createCaller(service, organizationId, user.token) };
  };
  const reasonOf = async (token: string, application: TestApplication, mappings: readonly Mapping[]) => {
    const request = { projectId, appId: application.clientId, mappings: [...mappings] };
    const headers = { "x-service-orgid": organizationId };
    return refusalOf(
      await service.clients.json.call(setApplicationClaimMappings, request, { token, headers }),
    ).reason;
  };

  test("when it is written: metadata, also by a change of a mapping, and hidden keys", async () => {
    const application = await createApp();
    const writer = await callerWith("ORGANIZATION_PROJECT_MANAGER"); // has no user.read
    const owner = await callerWith("ORGANIZATION_OWNER");
    const secret = metadataOf("secret", "secret");
    expect(await reasonOf(writer.token, application, [secret])).toBe("PERMISSION_DENIED");
    const hidden = metadataOf("hidden", "_hidden");
    const plan = {
      name: "plan",
      source: ClaimSource.ORGANIZATION_METADATA,
      key: "_plan",
      targets: everywhere,
    };
    for (const mapping of [hidden, plan])
      expect(await reasonOf(owner.token, application, [mapping])).toBe("PERMISSION_DENIED");
    await setOf(application, [hidden, plan]);
    await setOf(application, [secret], owner.by);
    await setOf(application, [secret, constant("more", "x")], writer.by);
    const others = [
      { ...secret, targets: [ClaimTarget.USERINFO] },
      { ...secret, key: "other" },
      { ...secret, scope: "x" },
    ];
    for (const mapping of others)
      expect(await reasonOf(writer.token, application, [mapping])).toBe("PERMISSION_DENIED");
    await setOf(application, [], writer.by);
    expect(await reasonOf(writer.token, application, [secret])).toBe("PERMISSION_DENIED");
  });

  test("and at each use: it rests while its author does not hold the permission, whoever gets the tokens", async () => {
    const application = await createApp();
    await setMetadata(userId, "salary", "1000");
    const author = await callerWith("ORGANIZATION_OWNER");
    const mappings = [metadataOf("salary", "salary"), constant("env", "x")];
    await setOf(application, mappings, author.by);
    const names = ["salary", "env"];
    const everything = { salary: "1000", env: "x" };
    const { refreshToken } = await getTokens(service, application, { browser });
    expect((await learn(application, names)).userinfo).toEqual(everything);
    const membershipId = await membershipIdOf(service, author.id, organizationId);
    const change = (role: string) =>
      service.call(MembershipService.method.updateMembership, { membershipId, roles: [role] });
    await change("ORGANIZATION_PROJECT_MANAGER");
    const learned = await learn(application, names);
    for (const place of [learned.idToken, learned.accessToken, learned.userinfo, learned.introspection])
      expect(place).toEqual({ env: "x" });
    const { json } = await refresh(service, application, refreshToken);
    expect(decodeJwt(String(json["access_token"]))).not.toHaveProperty("salary");
    const isPaused = async () => {
      const { claimMappings } = await inside(getApplicationClaimMappings, {
        projectId,
        appId: application.clientId,
      });
      return listOf(claimMappings).map((mapping) => mapping["isPaused"]);
    };
    expect(await isPaused()).toEqual([true, false]);
    await setOf(application, mappings); // by somebody else, who takes it over only by a change
    expect(await isPaused()).toEqual([true, false]);
    await change("ORGANIZATION_OWNER");
    expect((await learn(application, names)).userinfo).toEqual(everything);
  });

  test("a preview shows a caller nothing that the caller may not read", async () => {
    const application = await createApp();
    await setOf(application, [{ name: "rights", source: ClaimSource.ROLES, targets: everywhere }]);
    const request = { projectId, appId: application.clientId, userId };
    const call = async (token: string, more = {}) =>
      refusalOf(
        await service.clients.json.call(
          ClaimMappingService.method.previewClaims,
          { ...request, ...more },
          { token, headers: { "x-service-orgid": organizationId } },
        ),
      ).reason;
    const manager = await callerWith("ORGANIZATION_PROJECT_MANAGER");
    expect(await call(manager.token)).toBe("NOT_FOUND"); // no user.read
    const owner = await callerWith("ORGANIZATION_OWNER");
    const { organizationId: elsewhere } = await createWorld(service);
    expect(await call(owner.token, { userId: await createHumanUser(service, elsewhere) })).toBe("NOT_FOUND");
  });
});

describe("users of other organizations", () => {
  test("are told of by keys that their organization shares, once they have confirmed each", async () => {
    const home = await createWorld(service);
    const stranger = await createHumanUser(service, home.organizationId);
    const by = await signIn(service, stranger);
    const application = await createApp();
    await setMetadata(stranger, "badge", "B-7");
    await setMetadata(stranger, "grade", "9");
    await setOf(application, [metadataOf("badge", "badge"), metadataOf("grade", "grade")]);
    const names = ["badge", "grade"];
    const share = (keys: readonly string[], sharedWith = [organizationId]) =>
      service.call(ClaimMappingService.method.setUserMetadataSharing, {
        id: home.organizationId,
        shared: keys.map((key) => ({ key, sharedWith })),
      });
    await share(["badge"], [home.organizationId]);
    expect((await learn(application, names, { by })).userinfo).toEqual({});
    const isAsked = async () => {
      const { location, headers } = await authorize(service, application, { browser: by });
      if (!location.includes("/login/")) return undefined;
      const cookies = headers.getSetCookie().map((line) => line.split(";")[0]);
      const cookie = [by.cookie, ...cookies].join("; ");
      return (await browse(service, new URL(location, "http://none").pathname, { cookie })).text;
    };
    expect(await isAsked()).toBeUndefined();
    const before = await getTokens(service, application, { browser: by });
    await share(["badge"]);
    const { json } = await refresh(service, application, before.refreshToken);
    expect(decodeJwt(String(json["id_token"]))).not.toHaveProperty("badge"); // nobody has confirmed it
    expect(await isAsked()).toMatch(
      /<strong>New:<\/strong> what your organization has stored about you under “<bdi>badge<\/bdi>”/,
    );
    expect((await learn(application, names, { by })).userinfo).toEqual({ badge: "B-7" });
    await share(["badge", "grade"]);
    expect(await isAsked()).toContain("“<bdi>grade</bdi>”");
    const { accessToken } = await getTokens(service, application, { browser: by });
    await share([]);
    const { text } = await browse(service, "/oidc/v1/userinfo", { authorization: `Bearer ${accessToken}` });
    expect(Object.keys(JSON.parse(text))).toEqual(["sub"]);
    expect((await learn(application, names, { by })).idToken).toEqual({});
  });
});
