import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CustomTextService } from "../../gen/gatehouse/v1/custom_text_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { MetadataService } from "../../gen/gatehouse/v1/metadata_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { exportConfiguration } from "../../src/applying/export/write-configuration.ts";
import { createSecretSource } from "../../src/applying/file/secrets.ts";
import { configurationKinds } from "../../src/applying/kinds/configuration-kinds.ts";
import { applyPlan, planConfiguration } from "../../src/applying/plan/run.ts";
import { toLines } from "../../src/applying/plan/show.ts";
import { ConfigurationError } from "../../src/applying/reading/configuration-error.ts";
import { createServiceReader } from "../../src/applying/reading/reader.ts";
import { createGatehouse, staticToken } from "../../src/client/client.ts";
import { startService, type TestService } from "../support/service.ts";
import { makeTemporaryFolder } from "../support/temporary.ts";
import { createCaller, createServiceUser, createWorld, idOf } from "../support/world.ts";

const temporary = makeTemporaryFolder();
const story = readFileSync(join(import.meta.dirname, "story.yaml"), "utf8");
const signingSecret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const secret = "a secret that only partners know";

let service: TestService;
beforeAll(async () => {
  for (const name of ["warehouse", "entitlements"])
    writeFileSync(join(temporary.path, name), `${signingSecret}\n`);
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  temporary.remove();
});

interface Asked {
  readonly isPruning?: boolean;
  readonly token?: string;
  readonly partners?: string;
}

const runOf = (
  content: string,
  { isPruning = false, token = service.adminToken, partners = secret }: Asked = {},
) => ({
  gatehouse: createGatehouse({ url: service.url, tokens: staticToken(token) }),
  file: "shop.yaml",
  content,
  secrets: createSecretSource({
    environment: {
      GATEHOUSE_SECRET_PARTNERS: partners,
      GATEHOUSE_SECRET_READER: "the reader of the directory",
      GATEHOUSE_SECRET_KNOWN: "what Google and others know us by",
    },
    folder: temporary.path,
  }),
  isPruning,
});

async function planned(content: string, asked?: Asked): Promise<readonly string[]> {
  return toLines((await planConfiguration(runOf(content, asked))).changes);
}

async function applied(content: string, asked?: Asked) {
  const run = runOf(content, asked);
  return await applyPlan(run, await planConfiguration(run));
}

async function failureOf(run: Promise<unknown>): Promise<string> {
  const error: unknown = await run.then(
    () => "nothing failed",
    (failure: unknown) => failure,
  );
  return error instanceof ConfigurationError ? error.message : String(error);
}

/** Returns an organization by its name. */
async function find(name: string) {
  const { organizations } = await service.call(OrganizationService.method.listOrganizations, { name });
  const organizationId = idOf((organizations as readonly JsonObject[])[0] ?? {}, "id");
  const call = createCaller(service, organizationId);
  const { projects } = await call(ProjectService.method.listProjects, {});
  return { organizationId, call, projects: projects as readonly JsonObject[] };
}

describe("a configuration", () => {
  test("is applied from nothing with all that it has, and then changes nothing", async () => {
    const lines = await planned(story);
    expect(lines.filter((line) => line.startsWith("~"))).toEqual([
      '~ organization "Acme" / project "Shop" / claim mappings',
      '~ organization "Acme" / project "Shop" / OpenID Connect application "Web" / claim of hooks',
    ]);
    expect(lines).toEqual(
      expect.arrayContaining([
        '+ organization "Acme" / group "Staff" / member group "Sellers"',
        '    source_user: "acme-sync"',
        "    oidc.client_secret: set",
        '    grant_types: ["AUTHORIZATION_CODE","REFRESH_TOKEN"]',
        '+ organization "Reseller" / user grant user "reseller-bot", project "Shop"',
      ]),
    );
    expect(lines.join("\n")).not.toContain(secret);
    const secrets = await applied(story);
    const label = 'organization "Acme" / project "Shop" / OpenID Connect application "Web"';
    expect(secrets).toEqual([
      { label, fields: expect.objectContaining({ client_secret: expect.any(String) }) },
    ]);
    expect(await planned(story)).toEqual([]);
    expect(await planned(story, { isPruning: true })).toEqual([]); // it owns nothing
    expect(await applied(story)).toEqual([]);
    const { call, organizationId } = await find("Reseller");
    const { userGrants } = await call(UserGrantService.method.listUserGrants, {});
    expect(userGrants).toMatchObject([{ projectGrantId: expect.any(String), roleKeys: ["seller"] }]);
    const { users } = await call(UserService.method.listUsers, { username: "reseller-bot" });
    expect(users).toMatchObject([
      { state: "USER_STATE_INACTIVE", details: { resourceOwner: organizationId } },
    ]);
  });

  test("shows what others have changed, sets it back, and leaves what it does not say", async () => {
    const { call, projects } = await find("Acme");
    const projectId = idOf(projects[0] ?? {}, "id");
    const role = { projectId, roleKey: "seller", displayName: "Somebody", group: "staff" };
    await call(ProjectService.method.updateProjectRole, role);
    await call(ProjectService.method.updateProject, { id: projectId, name: "Shop", projectRoleCheck: true });
    await call(MetadataService.method.setProjectMetadata, {
      projectId,
      key: "tier",
      value: Buffer.from("test"),
    });
    expect(await planned(story)).toEqual([
      '~ organization "Acme" / project "Shop"',
      "    project_role_assertion: false -> true",
      '~ organization "Acme" / project "Shop" / metadata "tier"',
      '    value: "test" -> "production"',
      '~ organization "Acme" / project "Shop" / role "seller"',
      '    display_name: "Somebody" -> "Seller"',
    ]);
    await applied(story);
    const { project } = await call(ProjectService.method.getProject, { id: projectId });
    expect(project).toMatchObject({ projectRoleAssertion: true, projectRoleCheck: true });
  });

  test("changes secrets only where they differ, and says so without them", async () => {
    const partners = "another secret, not known before";
    expect(await planned(story, { partners })).toEqual([
      '~ organization "Acme" / identity provider "Partners"',
      "    oidc.client_secret: changed",
    ]);
    await applied(story, { partners });
    expect(await planned(story, { partners })).toEqual([]);
    await applied(story);
    writeFileSync(join(temporary.path, "warehouse"), `whsec_${Buffer.alloc(32, 8).toString("base64")}`);
    expect(await planned(story)).toEqual([
      '~ organization "Acme" / webhook target "Warehouse"',
      "    signing_secret: changed",
    ]);
    writeFileSync(join(temporary.path, "warehouse"), signingSecret);
  });

  test("clears dates by null, changes states, and renames case", async () => {
    const changed = story
      .replace("end_date: 2040-01-01T00:00:00Z", "end_date: null")
      .replace("state: INACTIVE", "state: ACTIVE")
      .replace("- name: Staff", "- name: STAFF");
    expect(await planned(changed)).toEqual([
      '~ organization "Acme" / group "STAFF"',
      '    name: "Staff" -> "STAFF"',
      '~ organization "Acme" / user grant user "acme-deploy", project "Shop"',
      '    end_date: "2040-01-01T00:00:00Z" -> none',
      '~ organization "Reseller" / service user "reseller-bot"',
      '    state: "INACTIVE" -> "ACTIVE"',
    ]);
    await applied(changed);
    expect(await planned(changed)).toEqual([]);
    await applied(story);
    expect(await planned(story)).toEqual([]);
  });
});

describe("pruning", () => {
  const garden = (projects: string, more = "") => `
organizations:
  - name: Garden
    ${more}
    projects:
${projects}`;
  const two = `
      - name: Beds
        owns: [roles, oidc_applications, metadata]
        metadata: { soil: loam, sun: "yes" }
        roles: [{ role_key: gardener }, { role_key: visitor }]
        oidc_applications: [{ name: Map, redirect_uris: ["https://garden.example.com/"] }]
      - name: Paths
        roles: [{ role_key: walker }]`;
  const one = `
      - name: Beds
        owns: [roles, oidc_applications, metadata]
        metadata: { soil: loam }
        roles: [{ role_key: gardener }]
        oidc_applications: []
        api_applications: [{ name: map }]`;

  test("removes by the flag only, and only from lists that the file owns", async () => {
    await applied(garden(two));
    expect(await planConfiguration(runOf(garden(one.replace(/ *api.*/, ""))))).toMatchObject({
      changes: [],
      unpruned: 3,
    });
    const lines = await planned(garden(one), { isPruning: true });
    expect(lines.toSorted()).toEqual([
      '+ organization "Garden" / project "Beds" / API application "map"', // whose name is free then
      '- organization "Garden" / project "Beds" / OpenID Connect application "Map"',
      '- organization "Garden" / project "Beds" / metadata "sun"',
      '- organization "Garden" / project "Beds" / role "visitor"',
    ]);
    await applied(garden(one), { isPruning: true });
    expect(await planned(garden(one), { isPruning: true })).toEqual([]);
    expect(await planned(garden(one, "owns: [projects]"), { isPruning: true })).toEqual([
      '- organization "Garden" / project "Paths"',
    ]);
  });
});

describe("two who apply at once", () => {
  const file = (displayName: string, more = "") => `
organizations:
  - name: Race
    projects:
      - name: Track
        roles: [{ role_key: runner, display_name: ${displayName} }${more}]`;

  test("get one winner: the other one changes nothing, and learns why", async () => {
    await applied(file("First"));
    const [one, other] = [runOf(file("One")), runOf(file("Other", ", { role_key: judge }"))];
    const [plan, late] = await Promise.all([planConfiguration(one), planConfiguration(other)]);
    await applyPlan(one, plan);
    expect(await failureOf(applyPlan(other, late))).toBe(
      'shop.yaml:6:17: organization "Race" / project "Track" / role "runner": somebody else has changed it since it was read, so nothing was changed (SEQUENCE_MISMATCH); plan again',
    );
    expect(await planned(file("One"))).toEqual([]);
    const twice = runOf(file("One", ", { role_key: judge }"));
    const [first, second] = await Promise.all([planConfiguration(twice), planConfiguration(twice)]);
    await applyPlan(twice, first);
    expect(await failureOf(applyPlan(twice, second))).toMatch(
      /role "judge": somebody else has added it since .* plan again$/,
    );
  });
});

test("a caller without permission changes nothing, and one of an organization may apply what is in it", async () => {
  const { organizationId } = await find("Acme");
  const owner = await createServiceUser(service, organizationId, "ORGANIZATION_OWNER");
  const viewer = await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER");
  const file = `
organizations:
  - name: Acme
    projects:
      - name: Shop
        roles: [{ role_key: auditor }]`;
  expect(await failureOf(applied(file, { token: viewer.token }))).toContain("(PERMISSION_DENIED)");
  await applied(file, { token: owner.token });
  expect(await planned(file, { token: viewer.token })).toEqual([]);
});

describe("an exported configuration", () => {
  const exported = (hasPeople = false, organizations: readonly string[] = [], token?: string) =>
    exportConfiguration({
      reader: createServiceReader(runOf("", token === undefined ? {} : { token }).gatehouse),
      kinds: configurationKinds,
      organizations,
      hasPeople,
    });

  test("is a file of which the plan is empty, whatever there is, and which has no secret", async () => {
    const world = await createWorld(service);
    const call = createCaller(service, world.organizationId);
    await call(MetadataService.method.setUserMetadata, {
      userId: world.owner.id,
      key: "k",
      value: new Uint8Array([0xff, 0]),
    });
    await service.call(LoginPolicyService.method.updateDefaultLoginPolicy, {
      allowPassword: true,
      allowPasskeys: true,
    });
    await service.call(CustomTextService.method.setDefaultCustomTexts, {
      language: "de",
      texts: [{ key: "login.password.title", text: "Guten Tag" }],
    });
    await applied(story);
    const all = await exported(true);
    for (const key of [
      "instance",
      "login_policy",
      "branding",
      "project_owner",
      "saml_applications",
      "!!binary",
    ])
      expect(all).toContain(key);
    expect(all).not.toContain(secret);
    expect(all).not.toContain(signingSecret);
    expect(await planned(all)).toEqual([]);
    const withoutPeople = await exported();
    expect(withoutPeople).toMatch(
      /^# left out: \d+ objects that name people; --with-people takes them along$/m,
    );
    expect(await planned(withoutPeople)).toEqual([]);
  });

  test("makes the same from nothing, but for what it lacks", async () => {
    const acme = await exported(false, ["Acme", "Reseller"]);
    const moved = acme
      .replaceAll("Acme", "Bcme")
      .replaceAll("Reseller", "Seller")
      .replaceAll(/acme-|reseller-/g, "b-")
      .replaceAll(/service (\d+-\d+)/g, "other $1")
      .replaceAll("wiki.example.com", "wiki2.example.com")
      .replaceAll("api.shop.example.com", "api.shop2.example.com")
      .replaceAll(/^( +)client_id: .*$/gm, "$&\n$1client_secret: env:GATEHOUSE_SECRET_KNOWN")
      .replace("base_dn:", "bind_password: env:GATEHOUSE_SECRET_READER\n          base_dn:");
    await applied(moved);
    expect(await planned(moved)).toEqual([]);
    const back = await exported(false, ["Bcme", "Seller"]);
    const sorted = (text: string) => text.split("\n").toSorted();
    expect(sorted(back)).toEqual(sorted(moved.replaceAll(/\n *(?:client_secret|bind_password): env.*/g, "")));
  });

  test("has what its caller may read, and says what it lacks", async () => {
    const { organizationId } = await find("Race");
    const viewer = await createServiceUser(service, organizationId, "ORGANIZATION_VIEWER");
    const file = await exported(false, [], viewer.token);
    expect(file).toMatch(/^# left out: instance \/ login_policy: PERMISSION_DENIED$/m);
    expect(file).toContain("  - name: Race\n");
    expect(file).not.toContain("Acme");
    expect(await planned(file)).toEqual([]);
  });
});
