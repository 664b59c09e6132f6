import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject } from "@bufbuild/protobuf";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { type LoginAt, logIn } from "../support/logins.ts";
import { type CreationOptions, passkeyFlags, registerInSoftware } from "../support/software-authenticator.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createTrustedApplication,
  createWorld,
  idOf,
  uniqueName,
  type World,
} from "../support/world.ts";

const users = UserService.method;
let service: TestService;
let world: World;
let applicationId: string;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
  applicationId = await createTrustedApplication(service, world);
});
afterAll(() => service.stop());

async function createPerson(at: Partial<LoginAt> = {}) {
  const userId = at.userId ?? (await createHumanUser(service, world.organizationId));
  return { userId, ...(await logIn(service.context, { applicationId, ...at, userId })) };
}

async function tryCall(
  method: DescMethodUnary,
  request: Record<string, unknown>,
  token: string,
  headers: Record<string, string> = {},
) {
  const outcome = await service.clients.json.call(method, request, { token, headers });
  return outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
}

const credentialFor = (begun: JsonObject) =>
  registerInSoftware(begun["publicKeyCredentialCreationOptions"] as unknown as CreationOptions, {
    flags: passkeyFlags,
  }) as unknown as JsonObject;

test("users add and remove their own passkeys with two factors, which a passkey is, and never with a token that lasts", async () => {
  const person = await createPerson();
  const { userId } = person;
  const lasting = idOf(await service.call(users.addPersonalAccessToken, { userId }, person.token), "token");
  expect(await tryCall(users.registerPasskey, { userId }, lasting)).toBe("REAUTHENTICATION_REQUIRED");
  const begun = await service.call(users.registerPasskey, { userId }, person.token);
  const publicKeyCredential = credentialFor(begun);
  const passkeyId = idOf(begun, "passkeyId");
  const verify = (token: string) =>
    tryCall(users.verifyPasskey, { userId, passkeyId, publicKeyCredential, passkeyName: "Phone" }, token);
  expect(await verify(lasting)).toBe("REAUTHENTICATION_REQUIRED");
  expect(await verify(person.token)).toBe("allowed");
  expect(await tryCall(users.registerPasskey, { userId }, person.token)).toBe("REAUTHENTICATION_REQUIRED");
  const strong = await createPerson({ userId, methods: ["PASSKEY"] });
  expect(await tryCall(users.registerPasskey, { userId }, strong.token)).toBe("allowed");
  const remove = (token: string) => tryCall(users.removePasskey, { userId, passkeyId }, token);
  expect(await remove(person.token)).toBe("REAUTHENTICATION_REQUIRED");
  expect(await remove(lasting)).toBe("REAUTHENTICATION_REQUIRED");
  service.clock.turn(600_000);
  expect(await remove(strong.token)).toBe("REAUTHENTICATION_REQUIRED");
  // Where nobody may log in with a passkey, a password is all that there is.
  const weak = await createPerson({ userId });
  expect(await remove(weak.token)).toBe("REAUTHENTICATION_REQUIRED");
  const inside = createCaller(service, world.organizationId);
  await inside(LoginPolicyService.method.updateLoginPolicy, { allowPassword: true });
  expect(await remove(weak.token)).toBe("allowed");
  await inside(LoginPolicyService.method.resetLoginPolicy, {});
});

test("a wrong password with an idempotency key is counted once", async () => {
  const userId = await createHumanUser(service, world.organizationId);
  await service.call(users.setPassword, { userId, password: uniqueName("a long phrase") });
  const { token } = await logIn(service.context, { userId, applicationId });
  const headers = { "idempotency-key": "once" };
  const verification = { case: "currentPassword", value: "wrong" };
  const request = { userId, password: uniqueName("a long phrase"), verification };
  const reasons: unknown[] = [];
  for (let index = 0; index < 8; index += 1)
    reasons.push(await tryCall(users.setPassword, request, token, headers));
  expect(reasons).toEqual(Array(8).fill("PASSWORD_INVALID"));
});
