import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { BatchService } from "../../gen/gatehouse/v1/batch_service_pb.ts";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createPageBrowser } from "../sites/login/support/browser.ts";
import { addOrganization } from "../sites/login/support/people.ts";
import { readMail, startSmtpServer } from "../kernel/outbound/smtp-server.ts";
import { largeTest } from "../support/large.ts";
import { refusalOf, startService, type TestService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createOidcApplication,
  createWorld,
  type World,
} from "../support/world.ts";

const users = UserService.method;
const applications = ApplicationService.method;
let service: TestService;
let world: World;
beforeAll(async () => {
  service = await startService();
  world = await createWorld(service);
});
afterAll(() => service.stop());

interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
const outboxes = () => service.dataFolders.map((folder) => join(folder, "mail.jsonl"));
async function mailTo(address: string): Promise<Mail> {
  for (;;) {
    const lines = outboxes().flatMap((file) =>
      existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [],
    );
    const mail = lines.map((line) => JSON.parse(line) as Mail).findLast(({ to }) => to === address);
    if (mail !== undefined) return mail;
    await setImmediate();
  }
}
const human = async (userId: string) =>
  ((await service.call(users.getUser, { userId }))["user"] as JsonObject)["human"] as JsonObject;

test("an address is verified by a code that is mailed, without saying so", async () => {
  const userId = await createHumanUser(service, world.organizationId);
  const email = `${userId}@example.com`;
  const answer = await service.call(users.setEmail, { userId, email });
  expect(answer["verificationCode"]).toBe("");
  const { text } = await mailTo(email);
  const modes = outboxes().flatMap((file) => (existsSync(file) ? [statSync(file).mode & 0o777] : []));
  expect(modes).toEqual([0o600]);
  const limited = await service.clients.json.call(
    users.resendEmailCode,
    { userId },
    { token: service.adminToken },
  );
  expect(refusalOf(limited)).toMatchObject({ reason: "RATE_LIMITED" });
  expect(JSON.stringify(limited)).toContain("google.rpc.RetryInfo");
  await service.call(users.verifyEmail, { userId, verificationCode: /\b\d{8}\b/.exec(text)?.[0] ?? "" });
  expect(await human(userId)).toMatchObject({ isEmailVerified: true });
});

test("a link may lead to an origin of an active application in the user's organization, and of no other", async () => {
  const { organizationId, projectId } = world;
  const call = createCaller(service, organizationId);
  const other = await createWorld(service);
  const add = async (of: World, origin: string) => {
    const appId = await createOidcApplication(service, of.organizationId, of.projectId);
    await createCaller(service, of.organizationId)(applications.updateOidcConfig, {
      projectId: of.projectId,
      appId,
      redirectUris: ["https://app.example/callback"],
      additionalOrigins: [origin],
    });
    return appId;
  };
  const appId = await add(world, "https://app.example");
  await add(other, "https://other.example");
  const userId = await createHumanUser(service, organizationId);
  const request = (urlTemplate: string) =>
    service.clients.json.call(
      users.requestPasswordReset,
      { userId, medium: { case: "sendLink", value: { urlTemplate } } },
      { token: service.adminToken },
    );
  const reasonOf = async (template: string) => refusalOf(await request(template)).reason;
  expect(await reasonOf("https://other.example/?c={code}")).toBe("FIELD_INVALID");
  expect(await reasonOf("https://app.example:8443/?c={code}")).toBe("FIELD_INVALID");
  const template = "https://app.example/page?c={code}";
  expect((await request(template)).kind).toBe("answer");
  const { email } = await human(userId);
  expect((await mailTo(email as string)).text).toMatch(/^https:\/\/app\.example\/page\?c=[A-Z2-7]{20}$/m);
  service.clock.turn(30_000);
  await call(applications.deactivateApplication, { projectId, appId });
  expect(await reasonOf(template)).toBe("FIELD_INVALID");
});

test("a mail that could not be delivered is an event of its user, which moves no sequence", async () => {
  const userId = await createHumanUser(service, world.organizationId);
  const kept = outboxes().map((file) => ({ file, aside: `${file}.aside`, isThere: existsSync(file) }));
  for (const { file, aside, isThere } of kept) {
    if (isThere) renameSync(file, aside);
    mkdirSync(file); // so that nothing can be written there
  }
  const { details } = await service.call(users.setEmail, { userId, email: `${userId}@example.com` });
  const asked = { aggregateId: userId, eventType: "user.email.delivery.failed" };
  const eventsOf = async () =>
    (await service.call(EventService.method.listEvents, asked))["events"] as readonly JsonObject[];
  while ((await eventsOf()).length === 0) await setImmediate();
  for (const { file, aside, isThere } of kept) {
    rmdirSync(file);
    if (isThere) renameSync(aside, file);
  }
  expect(await eventsOf()).toMatchObject([
    { aggregateType: "user", editor: "system", remoteAddress: "", payload: { message: "verification" } },
  ]);
  const { user } = await service.call(users.getUser, { userId });
  expect((user as JsonObject)["details"]).toEqual(details);
});

largeTest("a user hears of changes by calls, batches and pages, and never of a secret", async () => {
  const server = await startSmtpServer();
  const issuer = "https://login.example";
  const mailing = await startService({
    issuer,
    "mail-provider": "smtp",
    "smtp-url": `smtp://127.0.0.1:${server.port}`,
    "smtp-from": "no-reply@lamps.example",
  });
  const mails = () => server.mails.map((mail) => ({ to: mail.to[0], ...readMail(mail) }));
  const mailed = async (count: number) => {
    while (server.mails.length < count) await setImmediate();
    mailing.clock.turn(60_000); // the pause between two mails to a user
    return mails()[count - 1];
  };
  const waiting = () =>
    mailing.context.database.read((tx) => tx.all("SELECT change FROM security_notices ORDER BY sequence"));
  try {
    const organizationId = await addOrganization(mailing, "Lamp Works");
    const call = createCaller(mailing, organizationId);
    const userId = await createHumanUser(mailing, organizationId);
    const email = `${userId}@example.com`;
    const isVerified = { case: "isVerified", value: true } as const;
    await call(users.setEmail, { userId, email, verification: isVerified });
    const password = "one lamp for the hall";
    await call(users.setPassword, { userId, password }); // the account is being set up
    mailing.clock.turn(15 * 60_000);
    expect(await waiting()).toEqual([]);

    const value = { userId };
    const item = { request: { case: "addPersonalAccessToken" as const, value } };
    await call(BatchService.method.write, { items: [item, item] });
    const ofAdministrator = await mailed(1);
    expect(ofAdministrator?.to).toBe(email);
    expect(ofAdministrator?.text).toContain("- A personal access token was made\n");
    expect(ofAdministrator?.text).toContain("By an administrator with the name \u2068");
    expect(ofAdministrator?.text).toContain(`\n${issuer}/account?organization=${organizationId}\n`);

    await call(users.requestPasswordReset, { userId });
    const [link = ""] = /https:\S+/.exec((await mailed(2))?.text ?? "") ?? [];
    const page = await createPageBrowser(mailing.url, issuer).open(link);
    const own = "a password of my own";
    expect((await page.submit({ password: own, repeated: own })).title).toBe("Your password is set");
    const ofPage = await mailed(3);
    expect(ofPage?.text).toContain("- The password was changed\n");
    expect(ofPage?.text).toContain("By somebody using your account, from the address 127.0.0.1\n");
    expect(ofPage?.text).not.toContain(own);

    await call(users.setEmail, { userId, email: "new@example.com", verification: isVerified });
    const ofAddress = await mailed(4);
    expect(ofAddress?.to).toBe(email);
    expect(ofAddress?.text).not.toContain("new@example.com");

    await call(LoginPolicyService.method.updateLoginPolicy, {
      allowPassword: true,
      notifySecurityChanges: false,
    });
    await call(users.setPassword, { userId, password });
    expect(await waiting()).toEqual([]);
    await call(LoginPolicyService.method.updateLoginPolicy, { allowPassword: true });
    await call(users.setPassword, { userId, password: own });
    expect((await mailed(5))?.to).toBe("new@example.com");
    expect(server.mails).toHaveLength(5);
    while ((await waiting()).length > 0) await setImmediate();
  } finally {
    await mailing.stop();
    await server.close();
  }
});
