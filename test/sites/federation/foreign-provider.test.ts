// People log in at a provider that others have written: oidc-provider.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { createPerson } from "../oidc/support/login-place.ts";
import { redemption } from "../oidc/support/signed-in.ts";
import { askForTokens } from "../oidc/support/machine.ts";
import type { UserAgent } from "../oidc/support/user-agent.ts";
import { canaries } from "../../support/canaries.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createCaller } from "../../support/world.ts";
import { type ForeignProvider, startForeignProvider } from "./support/foreign-provider.ts";
import {
  createFederationPlace,
  type FederationPlace,
  leaveForProvider,
  listUsers,
  openBrowser,
  titleOf,
} from "./support/place.ts";

let service: TestService;
let provider: ForeignProvider;
beforeAll(async () => {
  service = await startService({ dev: true });
  provider = await startForeignProvider(`http://localhost:${service.port}`);
});
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

test("somebody who has a link logs in as the user whose it is", async () => {
  const place = await createFederationPlace(service, provider);
  const person = await createPerson(service, place.organizationId);
  await createCaller(service, place.organizationId)(UserService.method.addIdpLink, {
    userId: person.userId,
    idpId: place.idpId,
    externalUserId: provider.subject,
    externalUsername: "ada",
  });
  const claims = await readIdToken(place, (await logInAtProvider(place, openBrowser(service))).url);
  expect(claims).toMatchObject({ sub: person.userId, amr: ["fed"] });
  expect(await listUsers(service, place)).toHaveLength(1);
});

test("somebody whom nobody knows is not let in, and gets no account", async () => {
  const place = await createFederationPlace(service, provider);
  const ended = await logInAtProvider(place, openBrowser(service));
  expect(titleOf(ended)[1]).toBe("Do you have an account here?");
  expect(await listUsers(service, place)).toEqual([]);
});
