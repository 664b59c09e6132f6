// People log in at a provider that others have written: oidc-provider.
import { afterAll, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { redemption } from "../oidc/support/signed-in.ts";
import { askForTokens } from "../oidc/support/machine.ts";
import type { UserAgent } from "../oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { startService } from "../../support/service.ts";
import { startForeignProvider } from "./support/foreign-provider.ts";
import {
  createFederationPlace,
  type FederationPlace,
  leaveForProvider,
  listUsers,
  openBrowser,
} from "./support/place.ts";

const service = await startService({ dev: true });
const provider = await startForeignProvider(`http://localhost:${service.port}`);
afterAll(async () => {
  await provider.stop();
  await service.stop();
});

/** Logs in at the provider. Returns where the browser ends. */
async function logInAtProvider(place: FederationPlace, browser: UserAgent) {
  const left = await leaveForProvider(service, place, browser);
  const { url } = await provider.browser().open(left.href);
  for (const name of ["code", "state"]) canaries.add(name, url.searchParams.get(name) ?? "");
  return await browser.open(url.href);
}

/** Redeems the code that a browser has taken to the application, and returns the claims of the ID token. */
async function readIdToken(place: FederationPlace, url: URL) {
  const code = url.searchParams.get("code") ?? "";
  canaries.add("code", code);
  const { json } = await askForTokens(service, redemption(place.application, code));
  return decodeJwt(String(json["id_token"]));
}

test("somebody who comes for the first time gets an account, and the next time the same one", async () => {
  const place = await createFederationPlace(service, provider, { autoRegister: true });
  const first = await readIdToken(place, (await logInAtProvider(place, openBrowser(service))).url);
  const second = await readIdToken(place, (await logInAtProvider(place, openBrowser(service))).url);
  expect(second.sub).toBe(first.sub);
  expect(first).toMatchObject({ amr: ["fed"], acr: "urn:gatehouse:acr:1fa" });
  expect(await listUsers(service, place)).toEqual([
    expect.objectContaining({ id: first.sub, username: "ada@lampworks" }),
  ]);
});
