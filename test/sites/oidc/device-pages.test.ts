// What a person does who logs in a device: the pages of RFC 8628 §3.3, and what others may try with them.
import { afterAll, describe, expect, test } from "@jest/globals";
import { withoutIsolates } from "../login/support/browser.ts";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import type { HttpAnswer } from "../../support/http-client.ts";
import { startService } from "../../support/service.ts";
import { createCaller, createHumanUser } from "../../support/world.ts";
import { createLoginPlace, createPerson } from "./support/login-place.ts";
import {
  answerQuestion,
  beginDevice,
  createDeviceApplication,
  enterCode,
  openBrowser,
  openBrowserOf,
  poll,
  type WaitingDevice,
} from "./support/device.ts";
import { issuerOf } from "./support/machine.ts";
import type { UserAgent, Visited } from "./support/user-agent.ts";

const service = await startService({ "trusted-proxies": "127.0.0.1" });
const place = await createLoginPlace(service);
const application = await createDeviceApplication(service, place);
const person = await createPerson(service, place.organizationId);
/** Where codes are typed. */
const address = `${issuerOf(service)}/device`;
afterAll(() => service.stop());

const begin = () => beginDevice(service, application);
const errorOf = async (device: WaitingDevice) => (await poll(service, application, device)).error;
const textOf = ({ page }: Visited) => withoutIsolates(page?.text ?? "");
const titleOf = (visited: Visited) => /<h1>(.*?)<\/h1>/.exec(textOf(visited))?.[1];
const pathOf = ({ url }: Visited) => url.pathname.replace(/\d+/, "{id}");
const formTokenIn = ({ page }: Visited) =>
  /name="form_token" value="([^"]*)"/.exec(page?.text ?? "")?.[1] ?? "";

/** Sends a form with the cookies of a browser, and with whatever else the test says. */
function send(
  agent: UserAgent,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<HttpAnswer> {
  const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  return service.http.send({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded", cookie, ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

describe("the page for codes", () => {
  test("keeps to itself, and lets nobody hold on to its window", async () => {
    const { page } = await openBrowser(service).open(address);
    expect(page?.status).toBe(200);
    expect(page?.headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect(page?.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(page?.headers.get("set-cookie")).toMatch(/^gh_device=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/);
    const german = await service.http.send({
      method: "GET",
      path: "/device",
      headers: { host: new URL(address).host, "accept-language": "de" },
    });
    expect(german.text).toContain("Gerät verbinden");
  });

  test.each([
    ["as it is shown", (code: string) => code],
    ["in small letters", (code: string) => code.toLowerCase()],
    ["without its hyphen", (code: string) => code.replace("-", "")],
    ["with spaces and a dash", (code: string) => ` ${code.replace("-", " – ")} `],
  ])("takes a code %s", async (_name, write) => {
    const { userCode } = await begin();
    const next = await enterCode(openBrowser(service), address, write(userCode));
    expect(titleOf(next)).toBe("Sign in");
  });

  test("fills in the code of a link, and waits for the user", async () => {
    const { userCode, link } = await begin();
    const agent = openBrowser(service);
    const { page } = await agent.open(link);
    expect(page?.text).toContain(`value="${userCode}"`);
    expect([...agent.cookies.keys()]).toEqual(["gh_device"]);
    const mean = await agent.open(`${address}?user_code=${encodeURIComponent('"><script>')}`);
    expect(mean.page?.text).toContain("&quot;&gt;&lt;script&gt;");
  });

  test("says the same of codes that are unknown, used, or no codes at all", async () => {
    const used = await begin();
    const agent = await openBrowserOf(service, person.userId);
    await answerQuestion(agent, await enterCode(agent, used.link), "allow");
    const other = openBrowser(service, "192.0.2.7");
    const texts = [];
    for (const code of ["BBBB-BBBB", used.userCode, "AEIO-UAEI", ""]) {
      const { page } = await enterCode(other, address, code);
      expect(page?.status).toBe(200);
      expect(page?.text).toContain("This code is wrong, was already used, or has expired.");
      texts.push(page?.text.replaceAll(/value="[^"]*"/g, ""));
    }
    expect(new Set(texts).size).toBe(1);
  });

  test("refuses all codes of an address after ten wrong ones, for a quarter of an hour", async () => {
    const device = await begin();
    const [here, there] = ["2001:db8::1", "2001:db8:0:1::1"];
    const enter = async (from: string, code: string) => {
      const { page } = await enterCode(openBrowser(service, from), address, code);
      return page;
    };
    await enter(here, device.userCode); // a right one does not count
    const wrong = await Promise.all(Array.from({ length: 12 }, () => enter(here, "BBBB-BBBB")));
    const statusOf = (status: number) => wrong.filter((page) => page?.status === status).length;
    expect([statusOf(200), statusOf(429)]).toEqual([10, 2]);
    const refused = await enter("2001:db8::2", device.userCode);
    expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([429, "900"]);
    expect(refused?.text).toContain("There were too many wrong codes from your network.");
    expect((await enter(there, device.userCode))?.text).toContain("Sign in");
    service.clock.turn(900_000);
    expect((await enter(here, (await begin()).userCode))?.text).toContain("Sign in");
  });

  test("does not count a right code of an application that is switched off", async () => {
    const own = await createDeviceApplication(service, place);
    const { userCode } = await beginDevice(service, own);
    const inside = createCaller(service, place.organizationId);
    const named = { projectId: own.projectId, appId: own.clientId };
    await inside(ApplicationService.method.deactivateApplication, named);
    const enter = () => enterCode(openBrowser(service, "192.0.2.8"), address, userCode);
    const titles = [];
    for (let index = 0; index < 11; index++) titles.push(titleOf(await enter()));
    expect(new Set(titles)).toEqual(new Set(["This application is switched off"]));
  });

  test("takes no form but its own, in the browser that it was shown in", async () => {
    const { userCode } = await begin();
    const agent = openBrowser(service);
    const token = formTokenIn(await agent.open(address));
    const form = { user_code: userCode, form_token: token };
    const stranger = openBrowser(service);
    await stranger.open(address);
    const tries = [
      send(agent, "/device", { user_code: userCode }),
      send(agent, "/device", form, { "sec-fetch-site": "cross-site" }),
      send(stranger, "/device", form),
      send(openBrowser(service), "/device", form),
    ];
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await send(agent, "/device", form)).status).toBe(303);
  });

  test("knows no other paths and verbs, and no host but its own", async () => {
    const ask = (method: string, path: string, host = "evil.example") =>
      service.http.send({ method, path, headers: { host } });
    const nothing = await ask("GET", "/device/nothing");
    expect([nothing.status, nothing.headers.get("cross-origin-opener-policy")]).toEqual([404, "same-origin"]);
    expect((await ask("GET", "/device/x/y/allowed")).status).toBe(404);
    expect((await ask("GET", "/device/")).status).toBe(404);
    expect((await ask("GET", "/device/allowed/")).status).toBe(404);
    expect((await ask("GET", "/device/__proto__")).status).toBe(404);
    const wrong = [await ask("PUT", "/device"), await ask("POST", "/device/allowed")];
    expect(wrong.map(({ status, headers }) => [status, headers.get("allow")])).toEqual([
      [405, "GET, HEAD, POST"],
      [405, "GET, HEAD"],
    ]);
    for (const { headers } of wrong) expect(headers.get("cross-origin-opener-policy")).toBe("same-origin");
    expect((await ask("HEAD", "/device")).status).toBe(200);
    expect((await ask("GET", "/device")).text).not.toContain("evil.example");
    const moved = await ask("GET", "/device?user_code=X", `127.0.0.1:${service.port}`);
    expect([moved.status, moved.headers.get("location")]).toEqual([303, `${address}?user_code=X`]);
  });
});

describe("the question whether a device may be logged in", () => {
  test("is asked although there is a session and the link has the code (RFC 8628 §5.4)", async () => {
    const device = await begin();
    const agent = await openBrowserOf(service, person.userId);
    const question = await enterCode(agent, device.link);
    expect(pathOf(question)).toBe("/login/{id}");
    const text = question.page?.text ?? "";
    for (const shown of ["Organization", device.userCode, person.username, "on a device of your own"])
      expect(text).toContain(shown);
    expect(await errorOf(device)).toBe("authorization_pending");
    expect(pathOf(await answerQuestion(agent, question, "allow"))).toBe("/device/allowed");
  });

  test("cannot be answered for an account that it did not name", async () => {
    const device = await begin();
    const agent = await openBrowserOf(service, person.userId);
    const question = await enterCode(agent, device.link);
    const action = `${question.url.pathname}/allow-device`;
    const answer = { form_token: formTokenIn(question), choice: "allow", account: "1" };
    const again = await send(agent, action, answer);
    expect([again.status, again.headers.get("location")]).toEqual([303, question.url.href]);
    expect(await errorOf(device)).toBe("authorization_pending");
  });

  test("is asked of another account when the user wants that, whose session takes the place of the first", async () => {
    const device = await begin();
    const agent = await openBrowserOf(service, await createHumanUser(service, place.organizationId));
    const login = await answerQuestion(agent, await enterCode(agent, device.link), "another");
    expect(titleOf(login)).toBe("Sign in");
    const { username, password } = person;
    const question = await agent.submit(login, { username, password });
    expect(textOf(question)).toContain(`You are signed in here as ${username}.`);
    expect(pathOf(await answerQuestion(agent, question, "allow"))).toBe("/device/allowed");
    const { json } = await poll(service, application, device);
    const headers = { authorization: `Bearer ${String(json["access_token"])}` };
    const userinfo = await service.http.send({ method: "GET", path: "/oidc/v1/userinfo", headers });
    expect(JSON.parse(userinfo.text)).toMatchObject({ sub: person.userId });
  });

  test("is answered only in the browser that typed the code, by a form of ours", async () => {
    const device = await begin();
    const agent = await openBrowserOf(service, person.userId);
    const question = await enterCode(agent, device.link);
    const action = `${question.url.pathname}/allow-device`;
    const answer = { form_token: formTokenIn(question), choice: "allow", account: person.userId };
    const stranger = await openBrowserOf(service, person.userId);
    const statuses = [
      (await send(stranger, action, answer)).status,
      (await send(agent, action, { ...answer, form_token: "" })).status,
      (await send(agent, action, answer, { "sec-fetch-site": "same-site" })).status,
    ];
    expect(statuses).toEqual([400, 403, 403]);
    expect(await errorOf(device)).toBe("authorization_pending");
  });

  test("comes after all that a login needs, and is answered once", async () => {
    const device = await begin();
    const elsewhere = await createLoginPlace(service);
    const guest = await createPerson(service, elsewhere.organizationId);
    const agent = openBrowser(service);
    const login = await enterCode(agent, device.link);
    const action = `${login.url.pathname}/allow-device`;
    const answer = { form_token: formTokenIn(login), choice: "allow", account: guest.userId };
    const early = await send(agent, action, answer);
    expect([early.status, early.headers.get("location")]).toEqual([303, login.url.href]);
    const { username, password } = guest;
    const confirm = await agent.submit(login, { username, password });
    expect(titleOf(confirm)).toMatch(/^Continue to Application/);
    expect((await send(agent, action, answer)).headers.get("location")).toBe(login.url.href);
    expect(await errorOf(device)).toBe("authorization_pending");
    const question = await agent.submit(confirm, { choice: "continue" });
    const cookies = [...agent.cookies];
    expect(pathOf(await answerQuestion(agent, question, "allow"))).toBe("/device/allowed");
    for (const [name, value] of cookies) if (name.startsWith("gh_login")) agent.cookies.set(name, value);
    expect((await send(agent, action, answer)).text).toContain("You have signed in");
  });

  test("is worth nothing once the device does not wait any more", async () => {
    const device = await begin();
    const [first, second] = [
      await openBrowserOf(service, person.userId),
      await openBrowserOf(service, person.userId),
    ];
    const [one, two] = [await enterCode(first, device.link), await enterCode(second, device.link)];
    expect(pathOf(await answerQuestion(first, one, "cancel"))).toBe("/device/canceled");
    const late = await answerQuestion(second, two, "allow");
    expect([pathOf(late), late.page?.status]).toEqual(["/device/gone", 400]);
    expect(await errorOf(device)).toBe("access_denied");
    const expired = await begin();
    const question = await enterCode(second, expired.link);
    service.clock.turn(600_000);
    expect(pathOf(await answerQuestion(second, question, "cancel"))).toBe("/device/gone");
  });
});
