// Who connects an application with a user, what a confirmation covers, and which projects a token may be for.
import { type Timestamp, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { ApiAuthMethodType } from "../../../gen/gatehouse/v1/application_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { startService } from "../../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  idOf,
  uniqueName,
} from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { askForExchange, exchange, jwtTokens, scopeFor } from "./support/exchange.ts";
import {
  askForTokens,
  basic,
  createMachine,
  getAccessToken,
  type Machine,
  postForm,
} from "./support/machine.ts";
import {
  authorize,
  authorizeAndConfirm,
  getCode,
  getTokens,
  redemption,
  refresh,
  signIn,
  type TestBrowser,
} from "./support/signed-in.ts";

const service = await startService();
afterAll(() => service.stop());

/** An organization with a project that has the roles `reader` and `writer`, an API that introspects, and an application. */
interface Side {
  readonly organizationId: string;
  readonly projectId: string;
  readonly application: TestApplication;
  readonly api: { readonly id: string; readonly secret: string };
  /** Calls on the organization, by an administrator of the instance. */
  readonly inside: ReturnType<typeof createCaller>;
}

async function createSide(settings: Parameters<typeof createApplication>[2] = {}): Promise<Side> {
  const name = uniqueName("Organization");
  const added = await service.call(OrganizationService.method.addOrganization, { name });
  const organizationId = idOf(added, "organizationId");
  const projectId = await createProject(service, organizationId, ["reader", "writer"]);
  const inside = createCaller(service, organizationId);
  const authMethodType = ApiAuthMethodType.BASIC;
  const made = await inside(ApplicationService.method.createApiApplication, {
    projectId,
    name: "API",
    authMethodType,
  });
  const api = { id: idOf(made, "clientId"), secret: idOf(made, "clientSecret") };
  return {
    organizationId,
    projectId,
    application: await createApplication(service, { organizationId, projectId }, settings),
    api,
    inside,
  };
}

const openUser = async ({ organizationId }: Side) =>
  await signIn(service, await createHumanUser(service, organizationId));

/** Grants the project of one side to the organization of another one; returns the grant. */
async function grantProject(from: Side, to: Side, roleKeys: readonly string[] = ["reader"]): Promise<string> {
  const grant = {
    projectId: from.projectId,
    grantedOrganizationId: to.organizationId,
    roleKeys: [...roleKeys],
  };
  return idOf(await from.inside(ProjectService.method.addProjectGrant, grant), "grantId");
}

/** Calls on the organization, by a caller with these roles. */
async function callerOf(side: Side, ...roles: readonly (readonly [Side, string])[]) {
  const { id: userId, token } = await createServiceUser(service, side.organizationId);
  for (const [at, role] of roles) await addRole(userId, at, role);
  return { userId, call: createCaller(service, side.organizationId, token) };
}

async function addRole(userId: string, { organizationId }: Side, role: string): Promise<void> {
  const scope = { case: "organizationId" as const, value: organizationId };
  await service.call(MembershipService.method.addMembership, { userId, scope, roles: [role] });
}

async function introspect(by: Side, token: string): Promise<Readonly<Record<string, unknown>>> {
  const { text } = await postForm(
    service,
    "/oauth/v2/introspect",
    { token },
    basic(by.api.id, by.api.secret),
  );
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

/** Asks without a page. Returns the error, or `code`. */
async function askSilently(at: Side, browser: TestBrowser, scope = "openid"): Promise<string> {
  const { back } = await authorize(service, at.application, {
    browser,
    parameters: { scope, prompt: "none" },
  });
  return back["error"] ?? (back["code"] === undefined ? "page" : "code");
}

const inOneSecond = () => timestampFromMs(service.clock.nowMs() + 1000);
const rolesOf = ({ projectId }: Side) => `urn:zitadel:iam:org:project:${projectId}:roles`;
const allRoles = "urn:zitadel:iam:org:projects:roles";

describe("who connects an application with a user (S1)", () => {
  test("not its owner: neither by a project grant, nor by a user grant, nor by the checks of the project", async () => {
    const [ours, theirs] = [await createSide(), await createSide()];
    const user = await openUser(ours);
    const owner = await callerOf(theirs, [theirs, "ORGANIZATION_OWNER"]);
    expect(await askSilently(theirs, user)).toBe("consent_required");
    await grantProject(theirs, ours);
    expect(await askSilently(theirs, user)).toBe("consent_required");
    // The owner may know the user, for example because it may read the users of both, and yet connects nobody.
    await addRole(owner.userId, ours, "ORGANIZATION_VIEWER");
    const grant = { userId: user.userId, projectId: theirs.projectId, roleKeys: ["reader"] };
    await owner.call(UserGrantService.method.addUserGrant, grant);
    expect(await askSilently(theirs, user)).toBe("consent_required");
    const checks = { projectRoleCheck: true, hasProjectCheck: true };
    const update = { id: theirs.projectId, name: uniqueName("Project"), ...checks };
    await theirs.inside(ProjectService.method.updateProject, update);
    expect(await askSilently(theirs, user)).toBe("consent_required");
  });

  test("the organization of the user, by a grant of its own, as long as that is in effect", async () => {
    const [ours, theirs] = [await createSide(), await createSide()];
    const user = await openUser(ours);
    const projectGrantId = await grantProject(theirs, ours);
    const { projectId } = theirs;
    const given = { userId: user.userId, projectId, projectGrantId, roleKeys: ["reader"] };
    const grantId = idOf(await ours.inside(UserGrantService.method.addUserGrant, given), "userGrantId");
    expect(await askSilently(theirs, user)).toBe("code");
    const { refreshToken } = await getTokens(service, theirs.application, { browser: user });
    const turn = (method: "deactivateUserGrant" | "reactivateUserGrant") =>
      ours.inside(UserGrantService.method[method], { userId: user.userId, grantId });
    await turn("deactivateUserGrant");
    expect(await askSilently(theirs, user)).toBe("consent_required");
    expect((await refresh(service, theirs.application, refreshToken)).error).toBe("invalid_grant");
    await turn("reactivateUserGrant");
    expect(await askSilently(theirs, user)).toBe("code");
    const end = (period: { readonly endDate?: Timestamp; readonly removeEndDate?: boolean }) =>
      ours.inside(UserGrantService.method.updateUserGrant, { ...given, grantId, ...period });
    await end({ endDate: inOneSecond() });
    expect(await askSilently(theirs, user)).toBe("code");
    service.clock.turn(1000);
    expect(await askSilently(theirs, user)).toBe("consent_required");
    expect((await refresh(service, theirs.application, refreshToken)).error).toBe("invalid_grant");
    await end({ removeEndDate: true });
    expect((await refresh(service, theirs.application, refreshToken)).status).toBe(200);
    await theirs.inside(ProjectService.method.deactivateProjectGrant, { projectId, grantId: projectGrantId });
    expect(await askSilently(theirs, user)).toBe("consent_required");
  });

  test("a caller who may give grants in the organization of the user, by what their token carries then", async () => {
    const [ours, theirs] = [await createSide(), await createSide()];
    const user = await openUser(ours);
    const both = await callerOf(theirs, [theirs, "ORGANIZATION_OWNER"], [ours, "ORGANIZATION_USER_MANAGER"]);
    const grant = { userId: user.userId, projectId: theirs.projectId, roleKeys: ["reader"] };
    await both.call(UserGrantService.method.addUserGrant, grant);
    expect(await askSilently(theirs, user)).toBe("code");
    await service.call(UserService.method.removeUser, { userId: both.userId });
    expect(await askSilently(theirs, user)).toBe("code"); // the event keeps it
  });
});

describe("what a confirmation covers (S2)", () => {
  test("is what the page showed: more asks again, also when a setting of the project gives it", async () => {
    const [ours, theirs] = [await createSide(), await createSide()];
    const user = await openUser(ours);
    const { refreshToken, accessToken } = await getTokens(service, theirs.application, { browser: user });
    expect(await askSilently(theirs, user, "openid offline_access")).toBe("code");
    for (const more of ["profile", "email", "phone", "groups", "urn:zitadel:iam:user:resourceowner"])
      expect([more, await askSilently(theirs, user, `openid ${more}`)]).toEqual([more, "consent_required"]);
    const projectGrantId = await grantProject(theirs, ours);
    const { projectId } = theirs;
    const given = { userId: user.userId, projectId, projectGrantId, roleKeys: ["reader"] };
    const grantId = idOf(await ours.inside(UserGrantService.method.addUserGrant, given), "userGrantId");
    const update = { id: projectId, name: uniqueName("Project"), projectRoleAssertion: true };
    await theirs.inside(ProjectService.method.updateProject, update);
    // What was given before tells no more than before, whatever the project says now.
    expect(await introspect(theirs, accessToken)).not.toHaveProperty([rolesOf(theirs)]);
    const { json } = await refresh(service, theirs.application, refreshToken);
    expect(await introspect(theirs, String(json["access_token"]))).not.toHaveProperty([rolesOf(theirs)]);
    await ours.inside(UserGrantService.method.removeUserGrant, { userId: user.userId, grantId });
    expect(await askSilently(theirs, user)).toBe("consent_required");
    const page = await authorizeAndConfirm(service, theirs.application, { browser: user });
    expect(page).toHaveProperty(
      "page",
      expect.stringContaining("<strong>New:</strong> your roles in its project"),
    );
    expect(await askSilently(theirs, user)).toBe("code");
  });

  test("ends when the user takes the refresh token of the application away", async () => {
    const [ours, theirs] = [await createSide(), await createSide()];
    const user = await openUser(ours);
    await getTokens(service, theirs.application, { browser: user });
    const { userId } = user;
    const listed = await service.call(UserService.method.listRefreshTokens, { userId });
    const [tokenId = ""] = JSON.stringify(listed).match(/(?<="id":")\d+/) ?? [];
    await service.call(UserService.method.removeRefreshToken, { userId, tokenId });
    expect(await askSilently(theirs, user, "openid offline_access")).toBe("consent_required");
  });
});

test("what a process of an older release has issued meanwhile is worth nothing where a page was due", async () => {
  const [ours, theirs] = [await createSide(), await createSide()];
  const [guest, native] = [await openUser(ours), await openUser(theirs)];
  const issued = async (browser: TestBrowser) => {
    const tokens = await getTokens(service, theirs.application, { browser });
    const code = await getCode(service, theirs.application, { browser });
    return { ...tokens, code };
  };
  const [ofGuest, ofNative] = [await issued(guest), await issued(native)];
  // Such a process records no reason.
  await service.context.database.write((tx) =>
    tx.run("UPDATE authorizations SET consent = NULL WHERE user_id IN (?, ?)", [guest.userId, native.userId]),
  );
  const look = async ({ accessToken, refreshToken, code }: typeof ofGuest) => [
    (await introspect(theirs, accessToken))["active"],
    (await refresh(service, theirs.application, refreshToken)).error,
    (await askForTokens(service, redemption(theirs.application, code))).error,
  ];
  expect(await look(ofGuest)).toEqual([false, "invalid_grant", "invalid_grant"]);
  expect(await look(ofNative)).toEqual([true, undefined, undefined]);
});

describe("the projects that a token may be for (S3)", () => {
  test("are not those of others: neither scope nor audience nor roles, and their APIs take nothing", async () => {
    const [ours, theirs] = [await createSide(), await createSide(jwtTokens)];
    const user = await openUser(ours);
    const grant = { userId: user.userId, projectId: ours.projectId, roleKeys: ["writer"] };
    await ours.inside(UserGrantService.method.addUserGrant, grant);
    await grantProject(theirs, ours);
    await grantProject(ours, theirs, ["reader", "writer"]); // which is for users of theirs alone
    const scope = `openid ${allRoles} ${scopeFor(ours)}`;
    const { accessToken, json } = await getTokens(service, theirs.application, { browser: user, scope });
    expect(json["scope"]).toBe(`openid ${allRoles}`);
    const claims = decodeJwt(accessToken);
    expect(claims.aud).toEqual([theirs.application.clientId, theirs.projectId]);
    expect(claims).not.toHaveProperty([rolesOf(ours)]);
    expect(await introspect(ours, accessToken)).toEqual({ active: false });
  });

  test("are its own without a page, others of its organization with one that names them, also at home", async () => {
    const [ours, sister] = [await createSide(), await createSide()];
    const projectId = await createProject(service, ours.organizationId, ["reader"]);
    const user = await openUser(ours);
    expect(await askSilently(ours, user, `openid ${scopeFor(ours)}`)).toBe("code");
    const scope = `openid ${allRoles} ${scopeFor({ projectId })} ${scopeFor(sister)}`;
    expect(await askSilently(ours, user, scope)).toBe("consent_required");
    const asked = await authorizeAndConfirm(service, ours.application, {
      browser: user,
      parameters: { scope },
    });
    const { page } = asked as unknown as { readonly page: string };
    expect(page).toMatch(
      /<bdi>Project [^<]*<\/bdi> of <bdi>Organization [^<]*<\/bdi>, which gets the same information about you/,
    );
    expect(page).toContain("your roles in the projects below");
    expect(await askSilently(ours, user, scope)).toBe("code");
    const { json } = await askForTokens(service, redemption(ours.application, asked.back["code"] ?? ""));
    expect(json["scope"]).toBe(`openid ${allRoles} ${scopeFor({ projectId })}`);
    expect((await introspect(ours, String(json["access_token"])))["aud"]).toEqual([
      ours.application.clientId,
      ours.projectId,
      projectId,
    ]);
  });

  test("are those granted to its organization, for its users, with the roles of the grant, while it is active", async () => {
    const [ours, lender] = [await createSide(), await createSide()];
    const user = await openUser(ours);
    const grantId = await grantProject(lender, ours, ["reader"]);
    const direct = { userId: user.userId, projectId: lender.projectId, roleKeys: ["reader", "writer"] };
    await lender.inside(UserGrantService.method.addUserGrant, direct);
    const scope = `openid offline_access ${allRoles} ${scopeFor(lender)}`;
    const { accessToken, refreshToken } = await getTokens(service, ours.application, {
      browser: user,
      scope,
    });
    const told = { reader: { [lender.organizationId]: expect.any(String) } };
    expect(await introspect(lender, accessToken)).toMatchObject({ active: true, [rolesOf(lender)]: told });
    const turn = (method: "deactivateProjectGrant" | "reactivateProjectGrant") =>
      lender.inside(ProjectService.method[method], { projectId: lender.projectId, grantId });
    const limited = { projectId: lender.projectId, grantId, roleKeys: ["reader"] };
    await lender.inside(ProjectService.method.updateProjectGrant, { ...limited, endDate: inOneSecond() });
    expect(await introspect(lender, accessToken)).toMatchObject({ active: true });
    service.clock.turn(1000);
    expect(await introspect(lender, accessToken)).toEqual({ active: false });
    await lender.inside(ProjectService.method.updateProjectGrant, { ...limited, removeEndDate: true });
    expect(await introspect(lender, accessToken)).toMatchObject({ active: true, [rolesOf(lender)]: told });
    await turn("deactivateProjectGrant");
    expect(await introspect(lender, accessToken)).toEqual({ active: false });
    const left = await introspect(ours, accessToken);
    expect(left).toMatchObject({ active: true, scope: `openid offline_access ${allRoles}` });
    expect([left["aud"], left[rolesOf(lender)]]).toEqual([
      [ours.application.clientId, ours.projectId],
      undefined,
    ]);
    const userinfo = await service.http.send({
      method: "GET",
      path: "/oidc/v1/userinfo",
      headers: { authorization: `Bearer ${accessToken}` },
    });
    expect(userinfo.text).not.toContain(lender.projectId);
    const { json } = await refresh(service, ours.application, refreshToken);
    expect(json["scope"]).toBe(`openid offline_access ${allRoles}`);
    await turn("reactivateProjectGrant");
    expect(await introspect(lender, accessToken)).toMatchObject({ active: true });
  });

  test("are looked at again by each client that a token goes through", async () => {
    const [ours, lender] = [await createSide(), await createSide()];
    const user = await openUser(ours);
    const grantId = await grantProject(lender, ours);
    const gateway = await createApplication(
      service,
      { organizationId: lender.organizationId, projectId: lender.projectId },
      { redirectUris: [], grantTypes: [OidcGrantType.TOKEN_EXCHANGE] },
    );
    const scope = `openid ${scopeFor(lender)}`;
    const { accessToken } = await getTokens(service, ours.application, { browser: user, scope });
    const token = await exchange(service, gateway, accessToken);
    // The lender's gateway does not reach the projects of the other organization.
    expect(await introspect(lender, token)).toMatchObject({ active: true, aud: [lender.projectId], scope });
    expect(await introspect(ours, token)).toEqual({ active: false });
    const ended = { projectId: lender.projectId, grantId };
    await lender.inside(ProjectService.method.deactivateProjectGrant, ended);
    expect(await introspect(lender, token)).toEqual({ active: false });
    expect((await askForExchange(service, gateway, accessToken)).error).toBe("invalid_request");
  });

  test("of a service user are those of its organization, and those that it was granted", async () => {
    const [ours, lender, others] = [await createSide(), await createSide(), await createSide()];
    const machine: Machine = await createMachine(service, ours.organizationId);
    const grantId = await grantProject(lender, ours, ["reader"]);
    const direct = { userId: machine.userId, projectId: lender.projectId, roleKeys: ["writer", "reader"] };
    await lender.inside(UserGrantService.method.addUserGrant, direct);
    const foreign = { ...direct, projectId: others.projectId };
    await others.inside(UserGrantService.method.addUserGrant, foreign);
    const scope = ["openid", allRoles, ...[ours, lender, others].map(scopeFor)].join(" ");
    const token = await getAccessToken(service, machine, scope);
    expect(await introspect(others, token)).toEqual({ active: false });
    const seen = await introspect(lender, token);
    expect(seen["aud"]).toEqual([machine.userId, ours.projectId, lender.projectId]);
    expect(Object.keys(seen[rolesOf(lender)] ?? {})).toEqual(["reader"]);
    expect(seen).not.toHaveProperty([rolesOf(others)]);
    await lender.inside(ProjectService.method.removeProjectGrant, { projectId: lender.projectId, grantId });
    expect(await introspect(lender, token)).toEqual({ active: false });
    expect(await introspect(ours, token)).toMatchObject({ active: true });
  });
});

test("a token for an API tells roles of its project, as far as project and application say so (A4)", async () => {
  const side = await createSide({ ...jwtTokens, accessTokenRoleAssertion: true });
  const { projectId, inside, application, api } = side;
  const resource = `urn:example:${uniqueName("roles").replaceAll(" ", "-")}`;
  await inside(ApplicationService.method.updateApiConfig, { projectId, appId: api.id, resource });
  const user = await openUser(side);
  await inside(UserGrantService.method.addUserGrant, {
    userId: user.userId,
    projectId,
    roleKeys: ["reader"],
  });
  const parameters = { resource, scope: "openid" };
  const getToken = async () => {
    const code = await getCode(service, application, { browser: user, parameters });
    return String(
      (await askForTokens(service, redemption(application, code, { resource }))).json["access_token"],
    );
  };
  expect(decodeJwt(await getToken())).not.toHaveProperty([rolesOf(side)]);
  const update = { id: projectId, name: uniqueName("Project"), projectRoleAssertion: true };
  await inside(ProjectService.method.updateProject, update);
  const token = await getToken();
  for (const claims of [decodeJwt(token), await introspect(side, token)])
    expect(Object.keys(claims[rolesOf(side)] as object)).toEqual(["reader"]);
});
