import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationState } from "../../gen/gatehouse/v1/application_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAppType, OidcGrantType, OidcResponseType } from "../../gen/gatehouse/v1/oidc_pb.ts";
import { answerOf, refusalOf, startService, type TestService } from "../support/service.ts";
import { createWorld, idOf, samlMetadata, uniqueName, type World } from "../support/world.ts";
import { type Call, type EveryLane, openLanes } from "./support/lanes.ts";

const { method } = ApplicationService;

type Fields = Omit<Partial<MessageInitShape<typeof method.createOidcApplication.input>>, "$typeName">;

let service: TestService;
let callOn: Readonly<Record<EveryLane, Call>>;
let world: World;

beforeAll(async () => {
  service = await startService();
  callOn = openLanes(service);
  world = await createWorld(service);
});
afterAll(() => service.stop());

const ask = <M extends DescMethodUnary>(lane: EveryLane, asked: M, request: MessageInitShape<M["input"]>) =>
  callOn[lane](asked, request, { token: world.owner.token });

describe("over REST", () => {
  const lane = "rest";
  const run = async <M extends DescMethodUnary>(asked: M, request: MessageInitShape<M["input"]>) =>
    answerOf(await ask(lane, asked, request));
  const create = async () => {
    const entityId = `https://sp.example.com/${encodeURIComponent(uniqueName(lane))}`;
    const request = {
      projectId: world.projectId,
      name: uniqueName("App"),
      metadataXml: samlMetadata(entityId),
    };
    const answer = await run(method.createSamlApplication, request);
    return { projectId: world.projectId, appId: idOf(answer, "appId"), name: request.name, entityId };
  };
  const read = async (app: { projectId: string; appId: string }) => {
    const { projectId, appId } = app;
    return (await run(method.getApplication, { projectId, appId }))["application"] as JsonObject;
  };

  test("an application is renamed, given other metadata, stopped, started and removed; each read shows it", async () => {
    const { projectId, appId } = await create();
    const app = { projectId, appId };
    const name = uniqueName("Renamed");
    const renamed = await run(method.updateApplication, { ...app, name });
    expect(await read(app)).toMatchObject({ name, details: renamed["details"] });

    const entityId = `https://sp.example.com/${appId}`;
    const changed = await run(method.updateSamlConfig, { ...app, metadataXml: samlMetadata(entityId) });
    expect(await read(app)).toMatchObject({ saml: { entityId }, details: changed["details"] });

    const stopped = await run(method.deactivateApplication, app);
    expect(await read(app)).toMatchObject({
      state: "APPLICATION_STATE_INACTIVE",
      details: stopped["details"],
    });
    expect(await run(method.deactivateApplication, app)).toEqual(stopped);
    const started = await run(method.reactivateApplication, app);
    expect(await read(app)).toMatchObject({ state: "APPLICATION_STATE_ACTIVE", details: started["details"] });

    const removed = (await run(method.removeApplication, app))["details"] as JsonObject;
    expect(BigInt(idOf(removed, "sequence"))).toBeGreaterThan(
      BigInt(idOf(started["details"] as JsonObject, "sequence")),
    );
    for (const gone of [method.getApplication, method.removeApplication, method.deactivateApplication]) {
      expect(refusalOf(await ask(lane, gone, app))).toMatchObject({ code: 5, reason: "NOT_FOUND" });
    }
  });

  test("a list filters, counts and goes on in pages, without the documents", async () => {
    const first = await create();
    const second = await create();
    const { projectId } = first;
    await run(method.deactivateApplication, { projectId, appId: second.appId });
    const byName = await run(method.listApplications, {
      projectId,
      name: first.name.toUpperCase(),
      countTotal: true,
    });
    expect(byName).toMatchObject({
      details: { totalResult: "1" },
      applications: [{ id: first.appId, saml: { entityId: first.entityId } }],
      nextPageToken: "",
    });
    expect(JSON.stringify(byName)).not.toMatch(/"metadataXml":"[^"]/);
    const stopped = { projectId, state: ApplicationState.INACTIVE, pageSize: 1 };
    const ids: string[] = [];
    for (let pageToken = "", more = true; more; more = pageToken !== "") {
      const page = await run(method.listApplications, { ...stopped, pageToken });
      ids.push(...(page["applications"] as JsonObject[]).map((app) => idOf(app, "id")));
      pageToken = page["nextPageToken"] as string;
    }
    expect(ids).toContain(second.appId);
    expect(ids).not.toContain(first.appId);
    const foreign = await ask(lane, method.listApplications, { ...stopped, pageToken: "x" });
    expect(refusalOf(foreign)).toMatchObject({ code: 3, reason: "PAGE_TOKEN_INVALID" });
  });

  test("a viewer may list and not change", async () => {
    const { projectId, appId } = await create();
    const options = { token: world.viewer.token };
    expect((await callOn[lane](method.listApplications, { projectId }, options)).kind).toBe("answer");
    const refused = await callOn[lane](method.removeApplication, { projectId, appId }, options);
    expect(refusalOf(refused)).toMatchObject({ code: 7, reason: "PERMISSION_DENIED" });
  });
});

describe("an OIDC application over JSON", () => {
  const redirectUris = ["https://app.example/cb"];
  const run = async <M extends DescMethodUnary>(asked: M, request: MessageInitShape<M["input"]>) =>
    answerOf(await ask("json", asked, request));
  const create = (fields: Fields = {}) =>
    ask("json", method.createOidcApplication, {
      projectId: world.projectId,
      name: uniqueName("Oidc"),
      redirectUris,
      ...fields,
    });
  const read = async (appId: string) =>
    (await run(method.getApplication, { projectId: world.projectId, appId }))["application"] as JsonObject;

  test("has defaults for all that is not said, and no value that means nothing", async () => {
    const answer = answerOf(await create({ responseTypes: [OidcResponseType.UNSPECIFIED] }));
    const appId = idOf(answer, "appId");
    expect(answer).toMatchObject({ clientId: appId, clientSecret: expect.stringMatching(/^[\w-]{43}$/) });
    expect((await read(appId))["oidc"]).toMatchObject({
      clientId: appId,
      redirectUris,
      responseTypes: ["OIDC_RESPONSE_TYPE_CODE"],
      grantTypes: ["OIDC_GRANT_TYPE_AUTHORIZATION_CODE"],
      appType: "OIDC_APP_TYPE_WEB",
      authMethodType: "OIDC_AUTH_METHOD_TYPE_BASIC",
      accessTokenType: "OIDC_TOKEN_TYPE_BEARER",
      signingAlgorithm: "SIGNING_ALGORITHM_RS256",
    });
    const native = answerOf(await create({ appType: OidcAppType.NATIVE }));
    expect(native["clientSecret"] ?? "").toBe("");
    expect((await read(idOf(native, "appId")))["oidc"]).toMatchObject({
      authMethodType: "OIDC_AUTH_METHOD_TYPE_NONE",
    });
    const api = await run(method.createApiApplication, {
      projectId: world.projectId,
      name: uniqueName("Api"),
    });
    expect((await read(idOf(api, "appId")))["api"]).toEqual({
      clientId: idOf(api, "appId"),
      authMethodType: "API_AUTH_METHOD_TYPE_BASIC",
    });
  });

  test("gets its settings replaced, and shows what would be better otherwise", async () => {
    const appId = idOf(answerOf(await create({ requirePkce: true })), "appId");
    const asked = { projectId: world.projectId, appId };
    const uris = ["http://localhost:3000/cb", ...redirectUris, ...redirectUris];
    const changed = await run(method.updateOidcConfig, { ...asked, redirectUris: uris, devMode: true });
    const { details, oidc } = await read(appId);
    expect(details).toEqual(changed["details"]);
    expect(oidc).toMatchObject({
      redirectUris: ["http://localhost:3000/cb", ...redirectUris],
      complianceProblems: ["DEV_MODE"],
    });
    expect((oidc as JsonObject)["requirePkce"] ?? false).toBe(false);
    expect(await run(method.updateOidcConfig, { ...asked, redirectUris: uris, devMode: true })).toEqual(
      changed,
    );
  });

  test("has from 1 to 50 redirect URIs, none only without codes", async () => {
    const many = Array.from({ length: 51 }, (_, index) => `https://app.example/${index}`);
    const fieldsOf = async (fields: Parameters<typeof create>[0]) =>
      (refusalOf(await create(fields)) as { readonly fields: readonly string[] }).fields;
    expect(await fieldsOf({ redirectUris: [] })).toEqual(["redirect_uris"]);
    expect(await fieldsOf({ redirectUris: many })).toEqual(["redirect_uris"]);
    expect(await fieldsOf({ redirectUris: [...redirectUris, "https://app.example/#a"] })).toEqual([
      "redirect_uris[1]",
    ]);
    expect(await fieldsOf({ postLogoutRedirectUris: ["javascript:alert(1)"] })).toEqual([
      "post_logout_redirect_uris[0]",
    ]);
    expect(await fieldsOf({ additionalOrigins: ["https://app.example/"] })).toEqual([
      "additional_origins[0]",
    ]);
    expect(await fieldsOf({ grantTypes: [OidcGrantType.UNSPECIFIED] })).toEqual(["grant_types[0]"]);
    answerOf(await create({ redirectUris: many.slice(1) }));
    answerOf(await create({ redirectUris: [], grantTypes: [OidcGrantType.REFRESH_TOKEN] }));
  });

  test("refuses api_access to the owner of the organization", async () => {
    expect(refusalOf(await create({ apiAccess: true }))).toMatchObject({
      code: 7,
      reason: "PERMISSION_DENIED",
    });
  });
});
