import { afterAll, describe, expect, test } from "@jest/globals";
import { OidcAppType, OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { canaries } from "../../support/canaries.ts";
import { startService } from "../../support/service.ts";
import { sized } from "../../support/size.ts";
import { createHumanUser, createWorld } from "../../support/world.ts";
import { createApplication, redirectUri, type TestApplication } from "./support/application.ts";
import { issuerOf } from "./support/machine.ts";
import { authorizePath, browse, signIn } from "./support/signed-in.ts";
import { mutationsOf } from "./support/uri-mutations.ts";

const service = await startService();
const world = await createWorld(service);
const application = await createApplication(service, world);
const native = await createApplication(service, world, {
  appType: OidcAppType.NATIVE,
  authMethodType: OidcAuthMethodType.NONE,
  redirectUris: ["http://127.0.0.1/cb", "com.example.app:/cb"],
});
const browser = await signIn(service, await createHumanUser(service, world.organizationId));
afterAll(() => service.stop());

describe("a redirect URI", () => {
  async function expectRefused(asked: TestApplication, uri: string): Promise<void> {
    const path = authorizePath(asked, { redirect_uri: uri });
    const { status, headers } = await browse(service, path, { cookie: browser.cookie });
    expect([uri, status, headers.get("location")]).toEqual([uri, 400, null]);
  }

  test("that differs in anything is refused", async () => {
    const uris = [redirectUri, "com.example.app:/cb", "http://127.0.0.1/cb"].flatMap(mutationsOf);
    const some = uris.filter((_uri, index) => index % sized({ small: 25, full: 1 }) === 0);
    expect(uris.length).toBeGreaterThan(400);
    for (const uri of some) await expectRefused(uri.includes("callback") ? application : native, uri);
  });

  test("of the console that differs in anything is refused", async () => {
    const { port } = service;
    const own = `${issuerOf(service)}/console/callback`;
    const others = [
      `http://127.0.0.1:${port}/console/callback`,
      `https://localhost:${port}/console/callback`,
      `http://localhost:${port + 1}/console/callback`,
      "http://localhost/console/callback",
      `http://localhost:${port}/console/`,
      `${own}/`,
      `${own}?next=https://evil.example`,
      "/console/callback",
      redirectUri,
    ];
    const uris = mutationsOf(own).filter((_uri, index) => index % sized({ small: 20, full: 1 }) === 0);
    const builtIn = { ...native, clientId: "gatehouse-console", redirectUri: own };
    for (const uri of [...others, ...uris]) await expectRefused(builtIn, uri);
    const good = await browse(service, authorizePath(builtIn), { cookie: browser.cookie });
    expect(good.headers.get("location")).toMatch(/\/console\/callback\?code=/);
    canaries.add("code", new URL(good.headers.get("location") ?? "").searchParams.get("code") ?? "");
  });
});
