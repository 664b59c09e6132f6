import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { logIn } from "../support/logins.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
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

const human = async (userId: string) =>
  ((await service.call(users.getUser, { userId }))["user"] as JsonObject)["human"] as JsonObject;
const reasonOf = async (request: object, options: { token: string; headers?: Record<string, string> }) => {
  const outcome = await service.clients.json.call(users.setPassword, request, options);
  return outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
};

test("a password is given by an administrator, changed by its user after a login, and reset by a code", async () => {
  const userId = await createHumanUser(service, world.organizationId);
  const [first, second, third] = ["first", "second", "third"].map((name) => uniqueName(name)) as [
    string,
    string,
    string,
  ];
  await service.call(users.setPassword, { userId, password: first, changeRequired: true });
  expect(await human(userId)).toMatchObject({ hasPassword: true, passwordChangeRequired: true });
  const pat = idOf(await service.call(users.addPersonalAccessToken, { userId }), "token");
  const change = {
    userId,
    password: second,
    verification: { case: "currentPassword", value: first },
  };
  expect(await reasonOf(change, { token: pat })).toBe("REAUTHENTICATION_REQUIRED");
  const { token } = await logIn(service.context, { userId, applicationId });
  const wrong = { ...change, verification: { case: "currentPassword", value: "not that one" } };
  expect(await reasonOf(wrong, { token })).toBe("PASSWORD_INVALID");
  const dry = { "x-service-validate-only": "true" };
  expect(await reasonOf(wrong, { token, headers: dry })).toBe("allowed");
  expect(await reasonOf(change, { token })).toBe("allowed");
  expect(await human(userId)).toMatchObject({ passwordChangeRequired: false });
  const medium = { case: "returnCode", value: {} } as const;
  const code = idOf(await service.call(users.requestPasswordReset, { userId, medium }), "verificationCode");
  const reset = {
    userId,
    password: third,
    verification: { case: "verificationCode", value: code.toLowerCase() },
  };
  expect(await reasonOf(reset, { token })).toBe("allowed");
  expect(await reasonOf(reset, { token })).toBe("CODE_NOT_PENDING");
  await service.call(users.removePassword, { userId });
  expect(await human(userId)).toMatchObject({ hasPassword: false });
});

test("a wrong password with an idempotency key is counted once", async () => {
  const userId = await createHumanUser(service, world.organizationId);
  await service.call(users.setPassword, { userId, password: uniqueName("a long phrase") });
  const { token } = await logIn(service.context, { userId, applicationId });
  const headers = { "idempotency-key": "once" };
  const verification = { case: "currentPassword", value: "wrong" };
  const request = { userId, password: uniqueName("a long phrase"), verification };
  const reasons: unknown[] = [];
  for (let index = 0; index < 8; index += 1) reasons.push(await reasonOf(request, { token, headers }));
  expect(reasons).toEqual(Array(8).fill("PASSWORD_INVALID"));
});
