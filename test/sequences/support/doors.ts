import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openBrowser } from "../../sites/federation/support/place.ts";
import { signWell, type TestProvider } from "../../sites/federation/support/provider.ts";
import { authorizePath } from "../../sites/oidc/support/signed-in.ts";
import type { UserAgent, Visited } from "../../sites/oidc/support/user-agent.ts";
import type { Finding } from "./findings.ts";
import { useSession } from "./harvest.ts";
import type { Scene } from "./scene.ts";
import { apiScope } from "./tokens.ts";
import { evilMail, evilPassword } from "./values.ts";
import type { App, World } from "./world.ts";

/** Opens the page at which an application lets people log in. */
export async function openLogin({ ground }: World, browser: UserAgent, app: App): Promise<Visited> {
  const path = authorizePath(app, { scope: `openid offline_access ${apiScope}` });
  return await browser.open(`http://localhost:${ground.service.port}${path}`);
}

/** Goes through the pages that come, as far as the actor can. */
async function goOn(
  { world, purse }: Scene,
  browser: UserAgent,
  start: Visited,
  userId: string,
): Promise<Visited> {
  let visited = start;
  for (let step = 0; step < 4 && visited.page !== undefined; step++) {
    const { pathname } = visited.url;
    const code = purse.apps.get(userId)?.(world.ground.service.clock.nowMs());
    if (pathname.endsWith("/confirm")) visited = await browser.submit(visited, { choice: "continue" });
    else if (pathname.endsWith("/totp") && code !== undefined)
      visited = await browser.submit(visited, { code });
    else break;
  }
  return visited;
}

/** Uses the session that a browser has, if it has one. */
async function useBrowser(scene: Scene, browser: UserAgent, by: string): Promise<readonly Finding[]> {
  const cookie = browser.cookies.get("gh_session");
  return cookie === undefined ? [] : (await useSession(scene, `gh_session=${cookie}`, by)).found;
}

/** Uses the sessions that the actor has kept. */
export async function useSessions(scene: Scene): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const [cookie, by] of scene.purse.sessions) found.push(...(await useSession(scene, cookie, by)).found);
  return found;
}

/** Logs in with the passwords that the actor has set, or may set by a code or a mail that reaches them. */
export async function enterByPasswords(scene: Scene): Promise<readonly Finding[]> {
  const { world, actor, purse } = scene;
  const users = await world.ground.service.place.raw.peek<{ id: string; username: string; email: string }>(
    "SELECT CAST(id AS TEXT) AS id, username, email FROM stored_users WHERE kind = 'human'",
  );
  const uma = world.victims.find(({ name }) => name === "uma");
  for (const { id, username, email } of users) {
    const isRead = email === evilMail || (actor.runsProvider && id === uma?.userId);
    const code = purse.resets.get(id) ?? (isRead ? await askForCode(world, username, email) : undefined);
    if (code === undefined) continue;
    const browser = openBrowser(world.ground.service);
    const page = await browser.open(
      `http://localhost:${world.ground.service.port}/login/password/${id}?code=${encodeURIComponent(code)}`,
    );
    await browser.submit(page, { password: evilPassword });
    purse.passwords.set(id, evilPassword);
  }
  const found: Finding[] = [];
  for (const { id, username } of users.filter((user) => purse.passwords.has(user.id))) {
    const browser = openBrowser(world.ground.service);
    const page = await openLogin(world, browser, world.apps.desk);
    const isOffered = page.page?.text.includes('name="username"') === true;
    if (!isOffered) continue;
    const next = await browser.submit(page, { username, password: evilPassword });
    await goOn(scene, browser, next, id);
    found.push(...(await useBrowser(scene, browser, `the password of ${id}`)));
  }
  return found;
}

/** Lets the page for forgotten passwords mail a code, and reads it in the mailbox. */
async function askForCode(world: World, username: string, email: string): Promise<string | undefined> {
  const { service } = world.ground;
  const browser = openBrowser(service);
  const page = await openLogin(world, browser, world.apps.desk);
  const form = await browser.open(`${page.url.origin}${page.url.pathname}/forgotten-password`);
  if (form.page?.text.includes('name="username"') !== true) return undefined;
  const file = join(service.dataFolder, "mail.jsonl");
  const mails = () => {
    try {
      return readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .filter((line) => line.includes(email));
    } catch {
      return []; // there was no mail yet
    }
  };
  const before = mails().length;
  await browser.submit(form, { username });
  // A mail goes out after the answer. Most of these people get none, so there is nothing to wait for.
  for (let turn = 0; turn < 20 && mails().length === before; turn++) await setTimeout(2);
  if (mails().length === before) return undefined;
  return /[?&]code=([A-Z0-9-]+)/.exec(mails().at(-1) ?? "")?.[1];
}

/** Logs in by every provider that leads to a listener of the actor, which lets in whom the actor likes. */
export async function enterByProviders(scene: Scene): Promise<readonly Finding[]> {
  const { world, actor, purse } = scene;
  const { apps, evil, provider, organizations } = world;
  const rows = await world.ground.service.place.raw.peek<{
    id: string;
    resource_owner: string;
    config: string;
  }>(
    `SELECT CAST(id AS TEXT) AS id, CAST(resource_owner AS TEXT) AS resource_owner, config FROM identity_providers
       WHERE state = 'ACTIVE'`,
  );
  const found: Finding[] = [];
  const listeners = [evil, ...(actor.runsProvider ? [provider] : [])];
  for (const listener of listeners) listener.asked.length = 0;
  for (const { id, resource_owner: owner, config } of rows) {
    const { keys_endpoint: keys, issuer = "" } = JSON.parse(config) as {
      keys_endpoint?: string;
      issuer?: string;
    };
    const app = owner === organizations.b ? apps.game : apps.shop;
    for (const subject of [provider.subject, "a subject of the attacker"]) {
      const browser = openBrowser(world.ground.service);
      const page = await openLogin(world, browser, app);
      if (page.page?.text.includes(`value="${id}"`) !== true) continue;
      const { url } = await browser.submit(page, { provider: id });
      const listener = listeners.find(
        (one) => one.issuer === (keys === undefined ? url : new URL(keys)).origin,
      );
      if (listener === undefined) continue;
      const back =
        keys === undefined
          ? await arrive(browser, listener, url, subject)
          : await passGate(world, { browser, url, claims: { iss: issuer, sub: subject } });
      await goOn(scene, browser, back, world.victims.find(({ name }) => name === "uma")?.userId ?? "");
      const who = subject === provider.subject ? "a known subject" : "somebody new";
      found.push(...(await useBrowser(scene, browser, `a login at a provider as ${who}`)));
    }
  }
  found.push(...listeners.flatMap((listener) => secretsIn(listener, purse.said)));
  return found;
}

async function arrive(
  browser: UserAgent,
  listener: TestProvider,
  url: URL,
  subject: string,
): Promise<Visited> {
  listener.play({ userinfo: { sub: subject, preferred_username: "somebody.else", email: "x@evil.example" } });
  const visited = await browser.open(listener.logIn(url, subject).href);
  listener.play({});
  return visited;
}

/** Comes back with a JWT, signed with the key that the listener publishes. */
async function passGate(
  { ground }: World,
  { browser, url, claims }: { browser: UserAgent; url: URL; claims: object },
): Promise<Visited> {
  const now = Math.floor(ground.service.clock.nowMs() / 1000);
  const token = await signWell({ ...claims, iat: now, exp: now + 300 });
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const path = `/ui/login/login/jwt/authorize${url.search}`;
  const { headers } = await ground.send(path, { "x-token": token, cookie });
  return await browser.open(
    new URL(headers.get("location") ?? "/", `http://localhost:${ground.service.port}`).href,
  );
}

/** Returns the secrets of clients that a listener was sent, but for those that the actor has said themselves. */
function secretsIn({ asked }: TestProvider, said: ReadonlySet<string>): readonly Finding[] {
  const sent = asked.flatMap(({ authorization = "", form }) => {
    const [, encoded = ""] = /^Basic (.+)$/.exec(authorization) ?? [];
    const [, part = ""] = Buffer.from(encoded, "base64").toString().split(":");
    return [decodeURIComponent(part.replaceAll("+", " ")), form.get("client_secret") ?? ""];
  });
  return sent
    .filter((secret) => secret !== "" && !said.has(secret))
    .map((secret): Finding => ({ kind: "hears", secret: secret.replace(/ secret of .*/, "") }));
}
