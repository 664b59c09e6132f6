import { afterAll, expect, test } from "@jest/globals";
import { EmulatorService } from "../../gen/gatehouse/emulator/v1/emulator_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { readNamed } from "../pages/support/page.ts";
import { refusalOf } from "../support/service.ts";
import { startEmulator } from "./support/start-emulator.ts";

// What an emulator begins with: the file of docs/emulator.md.

const [content = ""] = readNamed("docs/emulator.md", "seed.yaml");
const { getClient, reset, signIn } = EmulatorService.method;
const emulator = await startEmulator({ seed: content });
afterAll(() => emulator.stop());
const { call, clients, token } = emulator;

test("a seed has users with passwords, applications with secrets, and roles, also after Reset", async () => {
  const client = await call(getClient, { application: "Web" });
  expect(client).toEqual({
    issuer: emulator.url,
    clientId: expect.stringMatching(/^\d+$/),
    clientSecret: expect.stringMatching(/^[\w-]{43}$/),
    projectId: expect.stringMatching(/^\d+$/),
  });
  const { userId } = (await call(signIn, { user: "ada", application: "Web" })) as { readonly userId: string };
  await call(UserService.method.removeUser, { userId });
  await call(reset, {});
  expect(await call(getClient, { application: "Web" })).toEqual(client);
  const again = await call(signIn, { user: "ada@example.com", application: "Web", scopes: ["openid"] });
  expect(again["userId"]).toBe(userId);
  const { user } = (await call(UserService.method.getUser, { userId })) as {
    readonly user: { readonly human: Readonly<Record<string, unknown>> };
  };
  expect(user.human).toMatchObject({ isEmailVerified: true });
  expect(refusalOf(await clients.json.call(getClient, { application: "Wab" }, { token })).reason).toBe(
    "NOT_FOUND",
  );
});

test.each([
  [
    "password: an analytical engine",
    "password: ada",
    /^seed\.yaml:4:9: .*user "ada": the password breaks a rule/,
  ],
  ["project: Shop", "project: Shap", /^seed\.yaml:\d+:\d+: .*Shap/],
  ["username: ada", "usrname: ada", /^seed\.yaml:\d+:\d+: .*usrname/],
])("a seed with a mistake, %s → %s, is refused with its line", async (right, wrong, line) => {
  const failing = startEmulator({ seed: content.replace(right, wrong) });
  await expect(failing).rejects.toThrow(line);
});
