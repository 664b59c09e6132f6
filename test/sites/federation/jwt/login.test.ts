import { afterAll, describe, expect, test } from "@jest/globals";
import { IdentityProviderService } from "../../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { createCaller } from "../../../support/world.ts";
import { handleUrlOf, startJwtStage } from "./support/jwt-stage.ts";

const stage = await startJwtStage();
afterAll(() => stage.stop());

describe("a login through a gateway", () => {
  test("lets in the user to whom the identity is linked", async () => {
    const ada = await stage.linkPerson("ada");
    const browser = stage.browser();
    const page = await stage.comeBack(browser, await stage.begin(browser), stage.gateway.logIn("ada"));
    const { sub, amr } = await stage.redeem(page);
    expect([sub, amr]).toEqual([ada.userId, ["fed"]]);
  });

  test("makes an account where the provider says so, once", async () => {
    const providerId = await stage.addProvider({}, { autoRegister: true });
    const cookie = stage.gateway.logIn("grace", stage.claimsOf("grace"));
    const subjects = [];
    for (const browser of [stage.browser(), stage.browser()]) {
      const page = await stage.comeBack(browser, await stage.begin(browser, providerId), cookie);
      subjects.push((await stage.redeem(page)).sub);
    }
    expect(new Set(subjects).size).toBe(1);
  });

  test("goes to a gateway whose address has characters that a header cannot carry", async () => {
    const jwtEndpoint = "https://gateway.example/вход?für=日本";
    const providerId = await stage.addProvider({ jwtEndpoint });
    const { url } = await stage.begin(stage.browser(), providerId);
    expect(url).toMatch(`${new URL(jwtEndpoint).href}&authRequestID=`);
  });
});

describe("a handle", () => {
  test("is good once", async () => {
    await stage.linkPerson("once");
    const browser = stage.browser();
    const trip = await stage.begin(browser);
    const url = await stage.handleUrl(trip, stage.gateway.logIn("once"));
    expect((await browser.open(url)).location).toContain("code=");
    const again = await browser.open(url);
    expect(again.location).toBeUndefined();
  });

  test("is good for a minute", async () => {
    await stage.linkPerson("slow");
    const browser = stage.browser();
    const cookie = stage.gateway.logIn("slow");
    const trip = await stage.begin(browser);
    const url = await stage.handleUrl(trip, cookie);
    stage.service.clock.turn(60_000);
    const late = await browser.open(url);
    expect([late.status, late.location]).toEqual([400, undefined]);
    const next = await stage.handleUrl(await stage.goAgain(browser, trip.id), cookie);
    stage.service.clock.turn(59_999);
    expect((await browser.open(next)).location).toContain("code=");
  });

  test("is one, of 32 bytes, and no other", async () => {
    const browser = stage.browser();
    const trip = await stage.begin(browser);
    const url = await stage.handleUrl(trip, stage.gateway.logIn("nobody"));
    const wrong = [`${url}&h=${"A".repeat(43)}`, url.slice(0, -1), `${url}A`, url.replace(/h=.*/, "h=")];
    for (const each of [...wrong, url.replace(/h=.*/, `h=${"A".repeat(43)}`)])
      expect((await browser.open(each)).status).toBe(400);
  });

  test("is worth nothing once the provider is switched off", async () => {
    const providerId = await stage.addProvider({}, { autoRegister: true });
    const browser = stage.browser();
    const trip = await stage.begin(browser, providerId);
    const url = await stage.handleUrl(trip, stage.gateway.logIn("mary", stage.claimsOf("mary")));
    const call = createCaller(stage.service, stage.place.organizationId);
    await call(IdentityProviderService.method.deactivateIdentityProvider, { idpId: providerId });
    const before = await stage.countUsers();
    expect((await browser.open(url)).status).toBe(403);
    // It was used up by the try.
    await call(IdentityProviderService.method.reactivateIdentityProvider, { idpId: providerId });
    expect((await browser.open(url)).status).toBe(400);
    expect(await stage.countUsers()).toBe(before);
  });
});

describe("what is kept of a browser at a gateway", () => {
  const rows = () => stage.service.place.raw.peek("SELECT * FROM jwt_logins");

  test("tells nobody who reads the database who has come back, or how to take it", async () => {
    const trip = await stage.begin(stage.browser());
    const url = await stage.handleUrl(
      trip,
      stage.gateway.logIn("confidential", stage.claimsOf("confidential")),
    );
    const stored = Buffer.concat((await rows()).flatMap((row) => Object.values(row).map(toBytes))).toString(
      "latin1",
    );
    const { path, token } = stage.gateway.lastForwarded();
    const handle = new URL(url).searchParams.get("h") ?? "";
    const userAgentId = new URLSearchParams(path).get("userAgentID") ?? "";
    for (const secret of [handle, userAgentId, token, "confidential"]) {
      expect(secret.length).toBeGreaterThan(10);
      expect(stored).not.toContain(secret);
    }
  });

  test("goes with the provider", async () => {
    const providerId = await stage.addProvider();
    const browser = stage.browser();
    await stage.handleUrl(await stage.begin(browser, providerId), stage.gateway.logIn("erased"));
    const count = (await rows()).length;
    const call = createCaller(stage.service, stage.place.organizationId);
    await call(IdentityProviderService.method.removeIdentityProvider, { idpId: providerId });
    expect(await rows()).toHaveLength(count - 1);
  });

  test("goes when its time is over", async () => {
    const browser = stage.browser();
    const trip = await stage.begin(browser);
    const url = await stage.handleUrl(trip, stage.gateway.logIn("swept"));
    expect(handleUrlOf({ status: 303, location: url, text: "" })).toBe(url);
    stage.service.clock.turn(60_000);
    await stage.sweep();
    const left = (await rows()).filter(
      (row) => (row as { interaction_id: string }).interaction_id === trip.id,
    );
    expect(left).toEqual([]);
  });
});

function toBytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.from(String(value));
}
