import { leaveForProvider, openBrowser } from "../../sites/federation/support/place.ts";
import type { TestProvider } from "../../sites/federation/support/provider.ts";
import { authorizePath, getTokens } from "../../sites/oidc/support/signed-in.ts";
import { sendToPortal } from "./assertions.ts";
import type { Ground } from "./ground.ts";
import { type App, portalUri } from "./world.ts";

/** Lets somebody log in at the provider for the first time, which makes a user. */
export async function arriveBy(
  { service }: Ground,
  { application, idpId, provider }: { application: App; idpId: string; provider: TestProvider },
): Promise<string> {
  const browser = openBrowser(service);
  const url = await leaveForProvider(service, { application, idpId }, browser);
  await browser.open(provider.logIn(url).href);
  const [link] = await service.place.raw.peek<{ user_id: string }>("SELECT user_id FROM idp_links");
  if (link === undefined) throw new Error("nobody arrived by the provider");
  return link.user_id;
}

/** Lets a user say that they want to use an application of another organization, for no more than `openid`. */
export async function confirm({ service }: Ground, application: App, cookie: string): Promise<void> {
  const browser = openBrowser(service);
  const [name = "", value = ""] = cookie.split("=");
  browser.cookies.set(name, value);
  const page = await browser.open(
    `http://localhost:${service.port}${authorizePath(application, { scope: "openid" })}`,
  );
  const { url } = await browser.submit(page, { choice: "continue" });
  if (!url.searchParams.has("code")) throw new Error(`not confirmed: ${url.href}`);
}

/** Does the same for the service provider, which is told of nothing else. */
export async function confirmPortal(ground: Ground, cookie: string): Promise<void> {
  const { browser, page } = await sendToPortal(ground, { cookie }, { entityId: portalUri, isPassive: false });
  const { posted } = await browser.submit(page, { choice: "continue" });
  if (posted === undefined) throw new Error("no assertion after the page");
}

/** Lets a user log in once, so that the key that signs is made: it takes longer than everything else. */
export async function signOnce({ service }: Ground, app: App, cookie: string): Promise<void> {
  await getTokens(service, app, { browser: { userId: "", sessionId: "", cookie } });
}
