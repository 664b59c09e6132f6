// People log in through the gateway of a JWT provider, in Chromium: its cookies are of another host than those of Gatehouse.
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { type Gateway, startGateway } from "../sites/federation/jwt/support/gateway.ts";
import { createCaller } from "../support/world.ts";
import { type LoginProfile, useLoginStage } from "./support/login-stage.ts";

const stageOf = useLoginStage({ dev: true });

let gateway: Gateway;
beforeAll(async () => {
  const { service, organizationId } = stageOf();
  gateway = await startGateway(service.url, { clock: service.clock, headerName: "x-token" });
  const { jwtEndpoint, keysEndpoint, issuer } = gateway;
  await createCaller(service, organizationId)(IdentityProviderService.method.createIdentityProvider, {
    name: "Company account",
    autoRegister: true,
    config: { case: "jwt", value: { jwtEndpoint, keysEndpoint, issuer, headerName: "x-token" } },
  });
});
afterAll(() => gateway.stop());

let visitor: LoginProfile;
beforeEach(async () => {
  visitor = await stageOf().profile();
});

/** Gives a profile a session at the gateway. */
async function logInAtGateway({ context }: LoginProfile, subject: string): Promise<void> {
  const claims = {
    preferred_username: `${subject}-${gateway.issuer.slice(-5)}`,
    given_name: "Ada",
    family_name: "Lovelace",
    email: `${subject}@example.com`,
    email_verified: true,
  };
  const [name = "", value = ""] = gateway.logIn(subject, claims).split("=");
  await context.addCookies([{ name, value, url: gateway.issuer }]);
}

const hasSession = async ({ context }: LoginProfile) =>
  (await context.cookies()).some(({ name }) => name === "gh_session");

test("a button leads through the gateway to the application", async () => {
  await logInAtGateway(visitor, "ada");
  const { page, complaints } = visitor;
  await page.goto(stageOf().url());
  await page.getByRole("button", { name: "Company account" }).click();
  await page.getByRole("heading", { name: "Time Sheets" }).waitFor();
  expect(new URL(page.url()).searchParams.get("code")).not.toBeNull();
  expect(await hasSession(visitor)).toBe(true);
  expect(complaints).toEqual([]);
});

test("the link of somebody else's login shows a page, and lets nobody in", async () => {
  const attacker = await stageOf().profile();
  await attacker.page.goto(stageOf().url());
  const { href: login } = new URL(attacker.page.url());
  const [answer] = await Promise.all([
    attacker.page.waitForResponse((response) => response.url().startsWith(gateway.issuer)),
    attacker.page.getByRole("button", { name: "Company account" }).click(),
  ]);
  await logInAtGateway(visitor, "grace");
  const { page } = visitor;
  await page.goto(answer.url());
  await page.getByRole("heading", { name: "Please begin again" }).waitFor();
  await attacker.page.goto(login);
  await attacker.page.getByRole("heading", { name: "Please begin again" }).waitFor();
  expect([await hasSession(visitor), await hasSession(attacker)]).toEqual([false, false]);
});
