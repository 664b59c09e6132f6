import { afterAll, describe, expect, test } from "@jest/globals";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { KeyType } from "../../../gen/gatehouse/v1/key_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { SigningKeyService } from "../../../gen/gatehouse/v1/signing_key_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { itemOf, outcomeOf, resultsOf, writeItems } from "../../support/batch.ts";
import { lanes } from "../../support/clients.ts";
import { logIn } from "../../support/logins.ts";
import { answerOf, refusalOf, startService } from "../../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createTrustedApplication,
  createServiceUser,
  createWorld,
  idOf,
  publicKeySample,
  uniqueName,
} from "../../support/world.ts";
import {
  apiScope,
  askForTokens,
  bySecret,
  createMachine,
  getAccessToken,
  type Machine,
  signAssertion,
  jwtBearer,
} from "./support/machine.ts";

// Access tokens of both kinds, as our own API takes them.

const users = UserService.method;
const service = await startService();
const world = await createWorld(service);
afterAll(() => service.stop());

/** Says how a call with the token ends. */
async function enter(token: string): Promise<string> {
  const outcome = await service.clients.json.call(users.getMyUser, {}, { token });
  return outcome.kind === "answer" ? "in" : JSON.stringify(refusalOf(outcome).reason);
}

describe.each(["BEARER", "JWT"] as const)("an access token of the type %s", (tokens) => {
  const create = () => createMachine(service, world.organizationId, { tokens });

  test.each(lanes)("is taken over %s for the user that it stands for", async (lane) => {
    const machine = await create();
    const token = await getAccessToken(service, machine);
    const { user } = answerOf(await service.clients[lane].call(users.getMyUser, {}, { token }));
    expect(user).toMatchObject({ id: machine.userId });
  });

  test("is for our API only if its audience says so", async () => {
    const machine = await create();
    const project = `urn:zitadel:iam:org:project:id:${world.projectId}:aud`;
    for (const scope of ["openid", project]) {
      expect(await enter(await getAccessToken(service, machine, scope))).toBe('"TOKEN_INVALID"');
    }
  });

  test("is refused when one character of it is another, or is missing", async () => {
    const token = await getAccessToken(service, await create());
    const last = token.at(-5) === "A" ? "B" : "A";
    for (const wrong of [
      "eyJx.a.b",
      `eyJ9.${token}`,
      token.slice(0, -1),
      `${token.slice(0, -5)}${last}${token.slice(-4)}`,
      `${token}A`,
    ])
      expect(await enter(wrong)).toBe('"TOKEN_INVALID"');
  });

  test("ends after an hour", async () => {
    const token = await getAccessToken(service, await create());
    service.clock.turn(3_599_000);
    expect(await enter(token)).toBe("in");
    service.clock.turn(1000);
    expect(await enter(token)).toBe('"TOKEN_INVALID"');
  });

  test("ends with the secret, and with the next one", async () => {
    const machine = await create();
    const first = await getAccessToken(service, machine);
    const made = await service.call(users.generateServiceUserSecret, { userId: machine.userId });
    expect(await enter(first)).toBe('"TOKEN_INVALID"');
    const second = await getAccessToken(service, { ...machine, secret: idOf(made, "clientSecret") });
    expect(await enter(second)).toBe("in");
    await service.call(users.removeServiceUserSecret, { userId: machine.userId });
    expect(await enter(second)).toBe('"TOKEN_INVALID"');
  });

  test("ends with the key", async () => {
    const machine = await create();
    const assertion = await signAssertion(service, machine);
    const { json } = await askForTokens(service, { grant_type: jwtBearer, assertion, scope: apiScope });
    const token = String(json["access_token"]);
    expect(await enter(token)).toBe("in");
    await service.call(users.removeServiceUserKey, { userId: machine.userId, keyId: machine.key.keyId });
    expect(await enter(token)).toBe('"TOKEN_INVALID"');
  });

  test("ends for good when its user is locked, and rests while the user is inactive", async () => {
    const machine = await create();
    const { userId } = machine;
    const token = await getAccessToken(service, machine);
    await service.call(users.deactivateUser, { userId });
    expect(await enter(token)).toBe('"TOKEN_INVALID"');
    await service.call(users.reactivateUser, { userId });
    expect(await enter(token)).toBe("in");
    await service.call(users.lockUser, { userId });
    await service.call(users.unlockUser, { userId });
    expect(await enter(token)).toBe('"TOKEN_INVALID"');
    expect(await enter(await getAccessToken(service, machine))).toBe("in");
  });

  test("rests while the organization is inactive, and ends with its user", async () => {
    const added = await service.call(OrganizationService.method.addOrganization, {
      name: uniqueName("Organization"),
    });
    const id = idOf(added, "organizationId");
    const machine = await createMachine(service, id, { tokens });
    const token = await getAccessToken(service, machine);
    await service.call(OrganizationService.method.deactivateOrganization, { id });
    expect(await enter(token)).toBe('"TOKEN_INVALID"');
    await service.call(OrganizationService.method.reactivateOrganization, { id });
    expect(await enter(token)).toBe("in");
    await service.call(users.removeUser, { userId: machine.userId });
    expect(await enter(token)).toBe('"TOKEN_INVALID"');
    for (const table of ["access_tokens", "credentials"]) {
      const rows = await service.place.raw.peek(
        `SELECT user_id FROM ${table} WHERE user_id = '${machine.userId}'`,
      );
      expect(rows).toEqual([]);
    }
  });

  test("carries the roles that its secret carries, and no more", async () => {
    const manager = await createServiceUser(service, world.organizationId, "ORGANIZATION_USER_MANAGER");
    const machine = await create();
    const limited = await service.call(
      users.generateServiceUserSecret,
      { userId: machine.userId },
      manager.token,
    );
    const scope = { case: "organizationId" as const, value: world.organizationId };
    const owner = { userId: machine.userId, scope, roles: ["ORGANIZATION_OWNER"] };
    await service.call(MembershipService.method.addMembership, owner);
    const secret = idOf(limited, "clientSecret");
    const weak = await getAccessToken(service, { ...machine, secret });
    const listUsers = (token: string) => service.clients.json.call(users.listUsers, {}, { token });
    expect(refusalOf(await listUsers(weak))).toMatchObject({ reason: "PERMISSION_DENIED" });
    const made = await service.call(users.generateServiceUserSecret, { userId: machine.userId });
    const strong = await getAccessToken(service, { ...machine, secret: idOf(made, "clientSecret") });
    answerOf(await listUsers(strong));
  });

  test("makes no lasting credential for its own user, and one for others", async () => {
    const machine = await create();
    const { userId } = machine;
    const scope = { case: "organizationId" as const, value: world.organizationId };
    await service.call(MembershipService.method.addMembership, {
      userId,
      scope,
      roles: ["ORGANIZATION_OWNER"],
    });
    const token = await getAccessToken(service, machine);
    const key = { type: KeyType.JSON, publicKey: publicKeySample };
    const own = [
      await service.clients.json.call(users.addPersonalAccessToken, { userId }, { token }),
      await service.clients.json.call(users.generateServiceUserSecret, { userId }, { token }),
      await service.clients.json.call(users.addServiceUserKey, { userId, ...key }, { token }),
    ];
    for (const outcome of own)
      expect(refusalOf(outcome)).toMatchObject({ reason: "REAUTHENTICATION_REQUIRED" });
    const other = await createMachine(service, world.organizationId);
    await service.call(users.addPersonalAccessToken, { userId: other.userId }, token);
  });
});

describe("a JWT access token", () => {
  test("ends when its signing key is taken away, and not when that is only retired", async () => {
    const machine = await createMachine(service, world.organizationId, { tokens: "JWT" });
    const token = await getAccessToken(service, machine);
    await service.call(SigningKeyService.method.rotateSigningKeys, {});
    expect(await enter(token)).toBe("in");
    await service.call(SigningKeyService.method.rotateSigningKeys, { revokeOld: true });
    expect(await enter(token)).toBe('"TOKEN_INVALID"');
    expect(await enter(await getAccessToken(service, machine))).toBe("in");
  });

  test("is no ID token, and an ID token is no access token", async () => {
    const machine = await createMachine(service, world.organizationId, { tokens: "JWT" });
    const assertion = await signAssertion(service, machine);
    const scope = `openid ${apiScope}`;
    const { json } = await askForTokens(service, { grant_type: jwtBearer, assertion, scope });
    expect(await enter(String(json["id_token"]))).toBe('"TOKEN_INVALID"');
    expect(await enter(assertion)).toBe('"TOKEN_INVALID"');
  });
});

test("a secret that a user made with an expiring token lets in no longer than that", async () => {
  const manager = await createServiceUser(service, world.organizationId, "ORGANIZATION_OWNER");
  const soon = new Date(service.clock.nowMs() + 600_000);
  const inside = createCaller(service, world.organizationId);
  const made = await inside(users.addPersonalAccessToken, {
    userId: manager.id,
    expirationDate: { seconds: BigInt(Math.floor(soon.getTime() / 1000)), nanos: 0 },
  });
  const generated = await service.call(
    users.generateServiceUserSecret,
    { userId: manager.id },
    idOf(made, "token"),
  );
  const machine: Pick<Machine, "userId" | "secret"> = {
    userId: manager.id,
    secret: idOf(generated, "clientSecret"),
  };
  const form = bySecret({ ...machine, key: undefined as never });
  const { json } = await askForTokens(service, { ...form, scope: apiScope });
  expect(json["expires_in"]).toBeGreaterThan(590);
  expect(json["expires_in"]).toBeLessThanOrEqual(600);
  service.clock.turn(600_000);
  expect(await askForTokens(service, form)).toMatchObject({ status: 401 });
});

test("an access token of a login rests while the application may not call the API, and in the batch that says so", async () => {
  const { projectId } = world;
  const appId = await createTrustedApplication(service, world);
  const userId = await createHumanUser(service, world.organizationId);
  const { token } = await logIn(service.context, { userId, applicationId: appId });
  await service.call(MembershipService.method.addMembership, {
    userId,
    scope: { case: "instance" as const, value: true },
    roles: ["INSTANCE_OWNER"],
  });
  const setAccess = (apiAccess: boolean) => ({ projectId, appId, apiAccess });
  const { updateOidcConfig } = ApplicationService.method;
  const items = [
    itemOf(updateOidcConfig, { ...setAccess(false), redirectUris: ["https://app.example.com/cb"] }),
    itemOf(ProjectService.method.addProject, { name: uniqueName("Project") }),
  ];
  const batch = { items, allowPartialSuccess: true };
  const [, second] = resultsOf(await writeItems(service.clients.json, batch, { token: token }));
  expect(refusalOf(outcomeOf(ProjectService.method.addProject, second)).reason).toBe("TOKEN_INVALID");
  expect(await enter(token)).toBe('"TOKEN_INVALID"');
  const inside = createCaller(service, world.organizationId);
  await inside(updateOidcConfig, { ...setAccess(true), redirectUris: ["https://app.example.com/cb"] });
  expect(await enter(token)).toBe("in");
});
