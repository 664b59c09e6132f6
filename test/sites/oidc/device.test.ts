// The device authorization grant (RFC 8628), from the request of the device to its tokens.
import type { JsonObject } from "@bufbuild/protobuf";
import { afterAll, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { OidcAppType, OidcAuthMethodType, OidcGrantType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { SessionService } from "../../../gen/gatehouse/v1/session_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { putWaitingDevice } from "../../../src/identity/protocol-state/device-authorizations/repository.ts";
import { type ApplicationId, type SessionId, toId } from "../../../src/kernel/base/ids.ts";
import { createSessionCommands } from "../../../src/identity/logins/sessions/commands.ts";
import { putSessionValue } from "../../../src/identity/logins/sessions/repository.ts";
import { createKeyImport } from "../../../src/sites/oidc/clients/key-imports.ts";
import { createKnownClients } from "../../../src/sites/oidc/clients/known-clients.ts";
import { hashHolder, maxWaiting } from "../../../src/sites/oidc/clients/room.ts";
import { answerDeviceAuthorization } from "../../../src/sites/oidc/endpoints/device-authorization.ts";
import type { OAuthRequest } from "../../../src/sites/oidc/requests/oauth-request.ts";
import { sweepExpired } from "../../../src/sites/oidc/sweep.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser, createProject, idOf } from "../../support/world.ts";
import { createLoginPlace, createPerson } from "./support/login-place.ts";
import { refresh } from "./support/signed-in.ts";
import {
  allowDevice,
  answerQuestion,
  askForDevice,
  beginDevice,
  createDeviceApplication,
  enterCode,
  openBrowser,
  openBrowserOf,
  poll,
  reachQuestion,
  type WaitingDevice,
} from "./support/device.ts";
import { basic, createMachine, issuerOf, postForm } from "./support/machine.ts";

const minuteMs = 60_000;
/** Draws a code of one letter. */
const letterOf = (letter: string) => Array<number>(8).fill("BCDFGHJKLMNPQRSTVWXZ".indexOf(letter));

const service = await startService({ "trusted-proxies": "127.0.0.1" });
const place = await createLoginPlace(service);
const application = await createDeviceApplication(service, place);
const person = await createPerson(service, place.organizationId);
afterAll(() => service.stop());

const begin = (scope?: string) => beginDevice(service, application, scope);
const pollNow = (device: WaitingDevice) => poll(service, application, device);
/** Polls again when the device may. */
const pollLater = (device: WaitingDevice) => {
  service.clock.turn(5000);
  return pollNow(device);
};

async function givenTokens(device: WaitingDevice) {
  const answer = await pollNow(device);
  expect(answer.json).toMatchObject({ token_type: "Bearer" });
  return { ...answer, accessToken: String(answer.json["access_token"]) };
}

const userinfoStatus = async (token: string) => {
  const headers = { authorization: `Bearer ${token}` };
  return (await service.http.send({ method: "GET", path: "/oidc/v1/userinfo", headers })).status;
};

describe("a device asks for a login", () => {
  test("and gets a code for itself and one for people (RFC 8628 §3.2)", async () => {
    const headers = { "x-forwarded-host": "evil.example", host: "evil.example" };
    const { status, json, headers: answered } = await askForDevice(service, application, {}, headers);
    const uri = `${issuerOf(service)}/device`;
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        device_code: expect.stringMatching(/^[\w-]{43}$/),
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verification_uri: uri,
        verification_uri_complete: `${uri}?user_code=${String(json["user_code"])}`,
        expires_in: 600,
        interval: 5,
      },
    });
    expect(answered.get("cache-control")).toBe("no-store");
    expect(answered.get("access-control-allow-origin")).toBe("*");
  });

  test("and authenticates if it has a secret", async () => {
    const own = await createDeviceApplication(service, place, { authMethodType: OidcAuthMethodType.BASIC });
    const nameless = { client_id: undefined, client_secret: undefined };
    const wrong = await askForDevice(service, own, nameless, basic(own.clientId, "wrong"));
    expect([wrong.status, wrong.error]).toEqual([401, "invalid_client"]);
    const right = await askForDevice(service, own, nameless, basic(own.clientId, own.secret));
    expect(right.status).toBe(200);
  });

  test.each([
    ["a client that nobody knows", { client_id: "1" }, 401, "invalid_client"],
    ["nobody", { client_id: undefined }, 401, "invalid_client"],
    ["an organization that there is not", { scope: "openid urn:zitadel:iam:org:id:1" }, 400, "invalid_scope"],
    ["a domain", { scope: "urn:zitadel:iam:org:domain:primary:a.example" }, 400, "invalid_scope"],
  ])("is refused for %s", async (_name, fields, status, error) => {
    const refused = await askForDevice(service, application, fields);
    expect([refused.status, refused.error]).toEqual([status, error]);
  });

  test("is refused without the grant, to service users, and in another form than a form", async () => {
    const code = await createDeviceApplication(service, place, {
      grantTypes: [OidcGrantType.AUTHORIZATION_CODE],
      redirectUris: ["http://127.0.0.1/callback"],
    });
    expect((await askForDevice(service, code)).error).toBe("unauthorized_client");
    const machine = await createMachine(service, place.organizationId);
    const asMachine = { client_id: machine.userId, client_secret: machine.secret };
    expect((await askForDevice(service, application, asMachine)).error).toBe("unauthorized_client");
    const path = "/oauth/v2/device_authorization";
    const twice = await postForm(service, path, `client_id=${application.clientId}&scope=openid&scope=email`);
    expect([twice.status, JSON.parse(twice.text)]).toMatchObject([400, { error: "invalid_request" }]);
    const json = await postForm(service, path, "{}", { "content-type": "application/json" });
    expect([json.status, JSON.parse(json.text)]).toMatchObject([400, { error: "invalid_request" }]);
    const get = await service.http.send({ method: "GET", path, headers: {} });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("and never one that another device shows", async () => {
    const [wait, repeated, free] = [letterOf("B"), letterOf("B"), letterOf("C")];
    const drawn = [...wait, ...repeated, ...free];
    const random = { ...service.context.random, below: () => drawn.shift() ?? 0 };
    const request = {
      issuer: issuerOf(service),
      endpoint: "",
      tokenEndpoint: "",
      form: new Map([["client_id", application.clientId]]),
      lists: new Map(),
      authorization: undefined,
      remoteAddress: undefined,
      requestId: "test",
      makeSignal: () => new AbortController().signal,
    } as unknown as OAuthRequest; // all that the endpoint reads of it
    const findClient = createKnownClients(service.context.database);
    const ports = { context: { ...service.context, random }, findClient, importKey: createKeyImport() };
    const ask = () => answerDeviceAuthorization(ports, request);
    expect([(await ask()).user_code, (await ask()).user_code]).toEqual(["BBBB-BBBB", "CCCC-CCCC"]);
  });

  test("is refused when too many wait for a public client at one address", async () => {
    const own = await createDeviceApplication(service, place);
    const { keyring, clock, database } = service.context;
    const remoteAddress = "192.0.2.1";
    const expirationMs = clock.nowMs() + 600_000;
    const applicationId = toId<ApplicationId>(own.clientId);
    await database.write(async (tx) => {
      for (let index = 1; index < maxWaiting.ofPublicClient; index++)
        await putWaitingDevice(tx, {
          hash: `waiting ${index}`,
          userCodeHash: `waiting ${index}`,
          holderHash: hashHolder(keyring, "device", { applicationId, remoteAddress }),
          applicationId,
          scopes: [],
          resources: [],
          intervalSeconds: 5,
          expirationMs: expirationMs + index,
        });
    });
    const askFrom = (address: string) => askForDevice(service, own, {}, { "x-forwarded-for": address });
    expect((await askFrom(remoteAddress)).status).toBe(200);
    const refused = await askFrom(remoteAddress);
    expect([refused.status, refused.error]).toEqual([429, "temporarily_unavailable"]);
    expect(refused.headers.get("retry-after")).toBe("600");
    expect((await askFrom("192.0.2.2")).status).toBe(200);
    service.clock.turn(600_002);
    expect((await askFrom(remoteAddress)).status).toBe(200);
  });
});

describe("a device that waits", () => {
  test("gets tokens once somebody has allowed it, as for a code but without nonce (§3.5)", async () => {
    const device = await begin("openid profile offline_access unknown");
    expect((await pollNow(device)).error).toBe("authorization_pending");
    const agent = openBrowser(service);
    const end = await answerQuestion(agent, await reachQuestion(agent, device, person), "allow");
    expect([end.url.pathname, end.page?.status]).toEqual(["/device/allowed", 200]);
    service.clock.turn(5000);
    const { json, accessToken } = await givenTokens(device);
    expect(json).toMatchObject({ expires_in: 3600, scope: "openid profile offline_access" });
    const claims = decodeJwt(String(json["id_token"]));
    expect(claims).toMatchObject({ sub: person.userId, aud: application.clientId, amr: ["pwd"] });
    expect(claims).not.toHaveProperty("nonce");
    expect(await userinfoStatus(accessToken)).toBe(200);
    expect((await refresh(service, application, String(json["refresh_token"]))).status).toBe(200);
  });

  test("gets no ID token without openid, and no refresh token without offline_access", async () => {
    const device = await begin("profile");
    await allowDevice(service, device, person.userId);
    const { json } = await givenTokens(device);
    expect(Object.keys(json)).toEqual(["access_token", "token_type", "expires_in", "scope"]);
  });

  test("has to wait five seconds longer after each poll that comes too early, which is remembered", async () => {
    const device = await begin();
    const errors = [];
    for (const seconds of [0, 2, 10, 7, 15, 12, 20]) {
      service.clock.turn(seconds * 1000);
      errors.push((await pollNow(device)).error);
    }
    const [pending, tooEarly] = ["authorization_pending", "slow_down"];
    expect(errors).toEqual([pending, tooEarly, pending, tooEarly, pending, tooEarly, pending]);
  });

  test("gets nothing before its time, even if it is allowed", async () => {
    const device = await begin();
    await pollNow(device);
    await allowDevice(service, device, person.userId);
    service.clock.turn(1000);
    expect((await pollNow(device)).error).toBe("slow_down");
    service.clock.turn(10_000);
    expect((await pollNow(device)).status).toBe(200);
  });

  test("learns that the user has said no", async () => {
    const device = await begin();
    const agent = await openBrowserOf(service, person.userId);
    const end = await answerQuestion(agent, await enterCode(agent, device.link), "cancel");
    expect([end.url.pathname, end.page?.status]).toEqual(["/device/canceled", 200]);
    expect((await pollNow(device)).error).toBe("access_denied");
    expect((await pollLater(device)).error).toBe("access_denied");
  });

  test("learns that its time is over, and later that nobody knows it", async () => {
    const device = await begin();
    service.clock.turn(10 * minuteMs);
    expect((await pollNow(device)).error).toBe("expired_token");
    await sweepExpired(service.context);
    expect((await pollLater(device)).error).toBe("expired_token");
    const page = await enterCode(openBrowser(service), device.link);
    expect(page.page?.text).toContain("This code is wrong");
    service.clock.turn(10 * minuteMs);
    await sweepExpired(service.context);
    expect((await pollNow(device)).error).toBe("invalid_grant");
  });

  test("learns so too when somebody had allowed it, for as long as its code is remembered", async () => {
    const device = await begin();
    await allowDevice(service, device, person.userId);
    service.clock.turn(10 * minuteMs);
    await sweepExpired(service.context);
    expect((await pollNow(device)).error).toBe("expired_token");
    service.clock.turn(10 * minuteMs);
    await sweepExpired(service.context);
    expect((await pollNow(device)).error).toBe("invalid_grant");
  });

  test("keeps its code from other clients", async () => {
    const [device, other] = [await begin(), await createDeviceApplication(service, place)];
    await allowDevice(service, device, person.userId);
    expect((await poll(service, other, device)).error).toBe("invalid_grant");
    expect((await poll(service, application, { deviceCode: "unknown" })).error).toBe("invalid_grant");
    expect((await poll(service, application, device, { device_code: undefined })).error).toBe(
      "invalid_request",
    );
    const { accessToken } = await givenTokens(device);
    expect((await poll(service, other, device)).error).toBe("invalid_grant");
    expect(await userinfoStatus(accessToken)).toBe(200);
  });

  test("uses its code once: a second use ends what the first one gave", async () => {
    const device = await begin();
    await allowDevice(service, device, person.userId);
    const { json, accessToken } = await givenTokens(device);
    expect((await pollLater(device)).error).toBe("invalid_grant");
    expect(await userinfoStatus(accessToken)).toBe(401);
    expect((await refresh(service, application, String(json["refresh_token"]))).error).toBe("invalid_grant");
  });
});

describe("what changes between the answer of the user and the poll counts", () => {
  const call = () => createCaller(service, place.organizationId);
  const sessionOf = async (userId: string) => {
    const { sessions } = await call()(SessionService.method.listSessions, { userId });
    const [session] = sessions as JsonObject[];
    return toId<SessionId>(idOf(session ?? {}, "id"));
  };

  test.each(["lockUser", "deactivateUser"] as const)("the user may not sign in, by %s", async (change) => {
    const [device, userId] = [await begin(), await createHumanUser(service, place.organizationId)];
    await allowDevice(service, device, userId);
    await service.call(UserService.method[change], { userId });
    expect((await pollNow(device)).error).toBe("invalid_grant");
  });

  test("the session has ended", async () => {
    const [device, userId] = [await begin(), await createHumanUser(service, place.organizationId)];
    await allowDevice(service, device, userId);
    await call()(SessionService.method.terminateSession, { sessionId: await sessionOf(userId) });
    expect((await pollNow(device)).error).toBe("invalid_grant");
  });

  test.each(["and the background has not said so yet", "and the background has said so"])(
    "the session is over by its time, %s",
    async (when) => {
      const [device, userId] = [await begin(), await createHumanUser(service, place.organizationId)];
      await allowDevice(service, device, userId);
      const sessionId = await sessionOf(userId);
      const { database, clock } = service.context;
      const value = { sessionId, hash: `of ${sessionId}`, nowMs: clock.nowMs(), idleMs: 5 * minuteMs };
      await database.write((tx) => putSessionValue(tx, value));
      service.clock.turn(5 * minuteMs);
      if (when === "and the background has said so")
        await createSessionCommands(service.context).terminateExpired();
      expect((await pollNow(device)).error).toBe("invalid_grant");
    },
  );

  test("the application is deactivated, or has lost the grant", async () => {
    const own = await createDeviceApplication(service, place);
    const device = await beginDevice(service, own);
    await allowDevice(service, device, person.userId);
    const name = { projectId: own.projectId, appId: own.clientId };
    await call()(ApplicationService.method.deactivateApplication, name);
    expect((await poll(service, own, device)).error).toBe("invalid_client");
    await call()(ApplicationService.method.reactivateApplication, name);
    const settings = { appType: OidcAppType.NATIVE, redirectUris: ["https://app.example/callback"] };
    await call()(ApplicationService.method.updateOidcConfig, { ...name, ...settings });
    expect((await poll(service, own, device)).error).toBe("unauthorized_client");
  });

  test("the project asks for a role", async () => {
    const projectId = await createProject(service, place.organizationId);
    const own = await createDeviceApplication(service, { ...place, projectId });
    const [allowed, later] = [await beginDevice(service, own), await beginDevice(service, own)];
    await allowDevice(service, allowed, person.userId);
    await call()(ProjectService.method.updateProject, {
      id: projectId,
      name: "Strict",
      projectRoleCheck: true,
    });
    expect((await poll(service, own, allowed)).error).toBe("access_denied");
    const agent = await openBrowserOf(service, person.userId);
    const end = await answerQuestion(agent, await enterCode(agent, later.link), "allow");
    expect([end.url.pathname, end.page?.status]).toEqual(["/device/no-access", 403]);
    expect((await poll(service, own, later)).error).toBe("access_denied");
  });

  test("the application is removed, and nothing of its devices is left", async () => {
    const own = await createDeviceApplication(service, place);
    const [allowed] = [await beginDevice(service, own), await beginDevice(service, own)];
    await allowDevice(service, allowed, person.userId);
    const name = { projectId: own.projectId, appId: own.clientId };
    await call()(ApplicationService.method.removeApplication, name);
    const rows = await service.context.database.read((tx) =>
      tx.all("SELECT 1 FROM device_authorizations WHERE application_id = ?", [own.clientId]),
    );
    expect(rows).toEqual([]);
  });
});
