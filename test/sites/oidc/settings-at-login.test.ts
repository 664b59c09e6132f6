import { afterAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { ApiAuthMethodType } from "../../../gen/gatehouse/v1/application_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject, idOf, uniqueName } from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import {
  authorize,
  getCode,
  getTokens,
  redemption,
  refresh,
  signIn,
  type TestBrowser,
} from "./support/signed-in.ts";
import { askForTokens, basic, postForm } from "./support/machine.ts";

const service = await startService();
afterAll(() => service.stop());

async function createOrganization(): Promise<string> {
  const name = uniqueName("Organization");
  return idOf(await service.call(OrganizationService.method.addOrganization, { name }), "organizationId");
}

/** An API that asks what tokens are worth. */
interface TestApi {
  readonly id: string;
  readonly secret: string;
}

async function createApi(organizationId: string, projectId: string): Promise<TestApi> {
  const settings = { projectId, name: "API", authMethodType: ApiAuthMethodType.BASIC };
  const created = await createCaller(service, organizationId)(
    ApplicationService.method.createApiApplication,
    settings,
  );
  return { id: idOf(created, "clientId"), secret: idOf(created, "clientSecret") };
}

/** An organization with a project and an application, and a user of that organization or of another one. */
interface Ground {
  readonly owner: string;
  readonly home: string;
  readonly application: TestApplication;
  readonly projectId: string;
  readonly api: TestApi;
  readonly browser: TestBrowser;
  /** Calls on the organization that owns the project. */
  readonly inside: ReturnType<typeof createCaller>;
}

async function layGround({ isGuest = false } = {}): Promise<Ground> {
  const owner = await createOrganization();
  const home = isGuest ? await createOrganization() : owner;
  const projectId = await createProject(service, owner, ["reader", "writer"]);
  const application = await createApplication(service, { organizationId: owner, projectId });
  const browser = await signIn(service, await createHumanUser(service, home));
  const api = await createApi(owner, projectId);
  return { owner, home, application, projectId, api, browser, inside: createCaller(service, owner) };
}

/** What was given before a change, to be used after it. */
interface Given {
  readonly code: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}

async function obtain({ application, browser }: Ground): Promise<Given> {
  const tokens = await getTokens(service, application, { browser });
  return { ...tokens, code: await getCode(service, application, { browser }) };
}

const userinfoOf = (token: string) =>
  service.http.send({
    method: "GET",
    path: "/oidc/v1/userinfo",
    headers: { authorization: `Bearer ${token}` },
  });

async function introspect(
  { api }: Pick<Ground, "api">,
  token: string,
): Promise<Readonly<Record<string, unknown>>> {
  const { text } = await postForm(service, "/oauth/v2/introspect", { token }, basic(api.id, api.secret));
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Tries every way in with what was given before: a new login, the code, a refresh, and what the access token is worth. */
async function probe(ground: Ground, { code, accessToken, refreshToken }: Given) {
  const { application, browser } = ground;
  const parameters = { prompt: "none" };
  const { status, back } = await authorize(service, application, { browser, parameters });
  const redeemed = await askForTokens(service, redemption(application, code));
  const refreshed = await refresh(service, application, refreshToken);
  return {
    login: status === 303 ? (back["error"] ?? "code") : status,
    code: redeemed.error ?? "tokens",
    refresh: refreshed.error ?? "tokens",
    isActive: (await introspect(ground, accessToken))["active"] === true,
    userinfo: (await userinfoOf(accessToken)).status,
  };
}

const all = { login: "code", code: "tokens", refresh: "tokens", isActive: true, userinfo: 200 };
const nobody = { isActive: false, userinfo: 401 };
const noUser = { ...nobody, login: "login_required", code: "invalid_grant", refresh: "invalid_grant" };
const noClient = { ...nobody, login: 400, code: "invalid_client", refresh: "invalid_client" };
const noAccess = { ...all, login: "access_denied", code: "access_denied", refresh: "access_denied" };

test("without any restriction everything is given", async () => {
  const ground = await layGround();
  expect(await probe(ground, await obtain(ground))).toEqual(all);
});

describe("the checks of a project", () => {
  const update = ({ inside, projectId }: Ground, checks: object) =>
    inside(ProjectService.method.updateProject, { id: projectId, name: uniqueName("Project"), ...checks });

  test("project_role_check lets in only who has a role that is in effect", async () => {
    const ground = await layGround();
    const { inside, projectId, browser } = ground;
    const given = await obtain(ground);
    await update(ground, { projectRoleCheck: true });
    expect(await probe(ground, given)).toEqual(noAccess);
    const grant = { userId: browser.userId, projectId, roleKeys: ["reader"] };
    const id = idOf(await inside(UserGrantService.method.addUserGrant, grant), "userGrantId");
    await inside(UserGrantService.method.deactivateUserGrant, { userId: browser.userId, grantId: id });
    expect(await probe(ground, given)).toEqual(noAccess);
    await inside(UserGrantService.method.reactivateUserGrant, { userId: browser.userId, grantId: id });
    expect(await probe(ground, given)).toEqual(all);
    const denied = await obtain(ground);
    await inside(ProjectService.method.removeProjectRole, { projectId, roleKey: "reader" });
    expect(await probe(ground, denied)).toEqual(noAccess);
  });

  test("has_project_check lets in only organizations that own the project, or hold an active grant of it", async () => {
    const own = await layGround();
    await update(own, { hasProjectCheck: true });
    expect(await probe(own, await obtain(own))).toEqual(all);
    const guest = await layGround({ isGuest: true });
    const { inside, projectId, home } = guest;
    const grant = { projectId, grantedOrganizationId: home, roleKeys: ["reader"] };
    const grantId = idOf(await inside(ProjectService.method.addProjectGrant, grant), "grantId");
    await update(guest, { hasProjectCheck: true });
    const given = await obtain(guest);
    await inside(ProjectService.method.deactivateProjectGrant, { projectId, grantId });
    expect(await probe(guest, given)).toEqual(noAccess);
    await inside(ProjectService.method.reactivateProjectGrant, { projectId, grantId });
    expect(await probe(guest, given)).toEqual(all);
    const denied = await obtain(guest);
    await inside(ProjectService.method.removeProjectGrant, { projectId, grantId });
    expect(await probe(guest, denied)).toEqual(noAccess);
  });

  test("say which one refuses, to users who have proved who they are", async () => {
    const ground = await layGround({ isGuest: true });
    const ask = async () => (await authorize(service, ground.application, ground)).back["error_description"];
    await update(ground, { hasProjectCheck: true, projectRoleCheck: true });
    expect(await ask()).toBe("organization without access");
    await update(ground, { projectRoleCheck: true });
    expect(await ask()).toBe("no role in this project");
    const { location } = await authorize(service, ground.application);
    expect(location).toMatch(/\/login\/\d+$/);
  });
});

describe("a user, or their organization, who is not active", () => {
  test.each([
    ["a deactivated user", UserService.method.deactivateUser, UserService.method.reactivateUser],
    [
      "a deactivated organization",
      OrganizationService.method.deactivateOrganization,
      OrganizationService.method.reactivateOrganization,
    ],
  ])("%s gets nothing, and all of it again afterwards", async (_name, off, on) => {
    const ground = await layGround({ isGuest: true });
    const grant = { projectId: ground.projectId, grantedOrganizationId: ground.home, roleKeys: [] };
    await ground.inside(ProjectService.method.addProjectGrant, grant);
    const given = await obtain(ground);
    const whom = { userId: ground.browser.userId, id: ground.home };
    await service.call(off, whom);
    expect(await probe(ground, given)).toEqual(noUser);
    await service.call(on, whom);
    expect(await probe(ground, given)).toEqual(all);
  });

  test("a locked user gets nothing, also after unlocking", async () => {
    const ground = await layGround();
    const given = await obtain(ground);
    await service.call(UserService.method.lockUser, { userId: ground.browser.userId });
    expect(await probe(ground, given)).toEqual(noUser);
    await service.call(UserService.method.unlockUser, { userId: ground.browser.userId });
    expect(await probe(ground, given)).toEqual(noUser);
  });
});

describe("what is not active, or was removed", () => {
  test.each(["application", "project", "organization"] as const)("%s: nothing is given", async (what) => {
    const ground = await layGround();
    const { inside, projectId, application, owner } = ground;
    const given = await obtain(ground);
    const change = {
      application: (isOn: boolean) => {
        const method = isOn ? "reactivateApplication" : "deactivateApplication";
        return inside(ApplicationService.method[method], { projectId, appId: application.clientId });
      },
      project: (isOn: boolean) =>
        inside(ProjectService.method[isOn ? "reactivateProject" : "deactivateProject"], { id: projectId }),
      organization: (isOn: boolean) => {
        const method = isOn ? "reactivateOrganization" : "deactivateOrganization";
        return service.call(OrganizationService.method[method], { id: owner });
      },
    }[what];
    await change(false);
    expect(await probe(ground, given)).toEqual(noClient);
    const parameters = { response_type: "token" };
    expect((await authorize(service, application, { parameters })).status).toBe(400); // not even errors are sent back
    await change(true);
    expect(await probe(ground, given)).toEqual(all);
  });

  test.each(["application", "project", "organization"] as const)(
    "%s: removed with all of it",
    async (what) => {
      const ground = await layGround();
      const { inside, projectId, application, owner } = ground;
      const given = await obtain(ground);
      if (what === "application")
        await inside(ApplicationService.method.removeApplication, { projectId, appId: application.clientId });
      if (what === "project") await inside(ProjectService.method.removeProject, { id: projectId });
      if (what === "organization")
        await service.call(OrganizationService.method.removeOrganization, { id: owner });
      expect(await probe(ground, given)).toEqual(noClient);
    },
  );

  test("user: removed with codes and tokens", async () => {
    const ground = await layGround();
    const given = await obtain(ground);
    const { userId } = ground.browser;
    await service.call(UserService.method.removeUser, { userId });
    expect(await probe(ground, given)).toEqual(noUser);
    const left = await service.context.database.read(async (tx) => {
      const rows = ["authorizations", "access_tokens"].map((table) =>
        tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE user_id = ?`, [userId]),
      );
      return (await Promise.all(rows)).map((row) => row?.n);
    });
    expect(left).toEqual([0, 0]);
  });
});

describe("project_role_assertion", () => {
  test.each([true, false])("%s: roles are told accordingly, and only those in effect", async (isAsserted) => {
    const ground = await layGround();
    const { inside, projectId, browser, owner } = ground;
    const grant = { userId: browser.userId, projectId, roleKeys: ["writer", "reader"] };
    const grantId = idOf(await inside(UserGrantService.method.addUserGrant, grant), "userGrantId");
    await inside(ProjectService.method.updateProject, {
      id: projectId,
      name: uniqueName("Project"),
      projectRoleAssertion: isAsserted,
    });
    const { accessToken } = await obtain(ground);
    const claim = `urn:zitadel:iam:org:project:${projectId}:roles`;
    const told = async () => {
      const userinfo = JSON.parse((await userinfoOf(accessToken)).text) as Record<string, unknown>;
      expect((await introspect(ground, accessToken))[claim]).toEqual(userinfo[claim]);
      expect(userinfo["urn:zitadel:iam:org:project:roles"]).toEqual(userinfo[claim]);
      return userinfo[claim];
    };
    const roles = { reader: { [owner]: expect.any(String) }, writer: { [owner]: expect.any(String) } };
    expect(await told()).toEqual(isAsserted ? roles : undefined);
    await inside(UserGrantService.method.deactivateUserGrant, { userId: browser.userId, grantId });
    expect(await told()).toBeUndefined();
  });

  test("true: a login that is limited to some roles stays so when a refresh asks for fewer scopes", async () => {
    const { inside, projectId, browser, owner, application } = await layGround();
    const grant = { userId: browser.userId, projectId, roleKeys: ["writer", "reader"] };
    await inside(UserGrantService.method.addUserGrant, grant);
    const update = { id: projectId, name: uniqueName("Project"), projectRoleAssertion: true };
    await inside(ProjectService.method.updateProject, update);
    const scope = "openid offline_access urn:zitadel:iam:org:project:role:reader";
    const { refreshToken } = await getTokens(service, application, { browser, scope });
    const { json } = await refresh(service, application, refreshToken, { scope: "openid" });
    expect(json).toMatchObject({ scope: "openid urn:zitadel:iam:org:project:role:reader" });
    const told = JSON.parse((await userinfoOf(String(json["access_token"]))).text) as Record<string, unknown>;
    expect(told["urn:zitadel:iam:org:project:roles"]).toEqual({ reader: { [owner]: expect.any(String) } });
  });
});
