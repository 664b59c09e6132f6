import { afterAll, expect, test } from "@jest/globals";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { eventually } from "../../kernel/http/support/sockets.ts";
import { createApplication } from "../oidc/support/application.ts";
import { createLoginPlace, createPerson, type TestPerson } from "../oidc/support/login-place.ts";
import { apiScope, askForTokens } from "../oidc/support/machine.ts";
import { redemption, refresh } from "../oidc/support/signed-in.ts";
import type { UserAgent } from "../oidc/support/user-agent.ts";
import { startService } from "../../support/service.ts";
import { makeApp } from "../../support/totp.ts";
import { idOf, uniqueName } from "../../support/world.ts";
import {
  beginLogin,
  createFederationPlace,
  type FederationPlace,
  openBrowser,
  titleOf,
} from "./support/place.ts";
import { startProvider } from "./support/provider.ts";

// Whoever runs the provider of an organization logs in as one of its users before that one gains a role elsewhere, and keeps all that
// can be had by that. Rules 28 and 47 of login.md, decision 14.

const service = await startService({ dev: true });
const provider = await startProvider(service.clock);
afterAll(async () => {
  provider.stop();
  await service.stop();
});

const users = UserService.method;
const { addMembership, getMyPermissions } = MembershipService.method;
const scope = `openid offline_access ${apiScope}`;

async function goToProvider(place: FederationPlace, browser: UserAgent) {
  const page = await beginLogin(service, place, browser, { scope });
  return await browser.open(provider.logIn((await browser.submit(page, { provider: place.idpId })).url).href);
}

/** What the caller may do on scopes, as our API says; the reason of the refusal if it takes the token no more. */
async function scopesOf(token: string): Promise<unknown> {
  const outcome = await service.clients.json.call(getMyPermissions, {}, { token });
  return outcome.kind === "answer" ? outcome.json["scopes"] : "refused";
}

/** Asks for a link as anybody may who knows the name. */
async function askForLink(place: FederationPlace, username: string): Promise<void> {
  const browser = openBrowser(service);
  const first = await beginLogin(service, place, browser);
  const [, path = ""] = /href="([^"]*forgotten-password[^"]*)"/.exec(first.page?.text ?? "") ?? [];
  const sent = await browser.submit(await browser.open(new URL(path, first.url).href), { username });
  expect(titleOf(sent)).toEqual([200, "Check your email"]);
}

/** Asks for a link for that user, and then for one for somebody who gets it. Returns how many the first one has got by then. */
async function countLinks(
  place: FederationPlace,
  { username, email }: { readonly username: string; readonly email: string },
  last: TestPerson,
): Promise<number> {
  service.clock.turn(60_000); // a mail in 30 seconds
  const countOf = async (address: string) => {
    const files = service.dataFolders.map((folder) => readFile(join(folder, "mail.jsonl"), "utf8"));
    const texts = await Promise.all(files.map((file) => file.catch(() => "")));
    return texts.join("").split(JSON.stringify(address)).length - 1;
  };
  const before = await countOf(addressOf(last));
  for (const name of [username, last.username]) await askForLink(place, name);
  await eventually(async () => (await countOf(addressOf(last))) > before);
  return await countOf(email);
}
const addressOf = ({ userId }: TestPerson) => `${userId}@example.com`;

test.each(["organization", "project"] as const)(
  "nothing that came of a login at a provider carries a role on another %s that is gained later",
  async (kind) => {
    const place = await createFederationPlace(service, provider, { autoRegister: true });
    const application = await createApplication(service, place, { apiAccess: true });
    const trusted = { ...place, application };
    const username = uniqueName("ada").replaceAll(" ", "-");
    const email = `${username}@provider.example`;
    const claims = { sub: username, preferred_username: username, email };
    provider.play({ claims: { sub: username }, userinfo: claims });
    const last = await createPerson(service, place.organizationId);
    const verification = { case: "isVerified", value: true } as const;
    await service.call(users.setEmail, { userId: last.userId, email: addressOf(last), verification });
    const browser = openBrowser(service);
    const back = await goToProvider(trusted, browser);
    const { json } = await askForTokens(
      service,
      redemption(application, back.url.searchParams.get("code") ?? ""),
    );
    const accessToken = String(json["access_token"]);
    const { user } = (await service.call(users.getMyUser, {}, accessToken)) as { user: { id: string } }; // of the contract
    const userId = user.id;
    const made = await service.call(users.addPersonalAccessToken, { userId }, accessToken);
    const token = idOf(made, "token");
    const again = await service.call(users.addPersonalAccessToken, { userId }, token);
    const app = makeApp(idOf(await service.call(users.registerTotp, { userId }, accessToken), "secret"));
    await service.call(users.verifyTotp, { userId, code: app.code(service.clock.nowMs()) }, accessToken);

    expect(await countLinks(trusted, { username, email }, last)).toBe(1);

    const other = await createLoginPlace(service);
    const value = kind === "project" ? other.projectId : other.organizationId;
    await service.call(addMembership, {
      userId,
      scope: { case: kind === "project" ? "projectId" : "organizationId", value },
      roles: [kind === "project" ? "PROJECT_OWNER" : "ORGANIZATION_OWNER"],
    });

    for (const kept of [token, idOf(again, "token")]) expect(await scopesOf(kept)).toEqual([]);
    expect(await scopesOf(accessToken)).toBe("refused");
    expect((await refresh(service, application, String(json["refresh_token"]))).status).toBe(400);
    const silent = await beginLogin(service, trusted, browser, { scope, prompt: "none" });
    expect(silent.url.searchParams.get("error")).toBe("login_required");
    const anew = openBrowser(service);
    const asked = await goToProvider(trusted, anew);
    const refused = await anew.submit(asked, { code: app.code(service.clock.nowMs()) });
    expect(titleOf(refused)).toEqual([403, "This is not enough to sign in"]);
    expect(await countLinks(trusted, { username, email }, last)).toBe(1);

    // Whoever holds all that the user holds may help: they let the user choose a password.
    const { verificationCode } = await service.call(users.requestPasswordReset, {
      userId,
      medium: { case: "returnCode", value: {} },
    });
    expect(verificationCode).toMatch(/^[A-Z2-7]{20}$/);
  },
);
