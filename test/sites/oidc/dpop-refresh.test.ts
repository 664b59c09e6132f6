// The keys that refresh tokens are bound to (RFC 9449), and what becomes of those that are stolen.
import { afterAll, describe, expect, test } from "@jest/globals";
import { OidcAppType, OidcAuthMethodType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { makeProofKey } from "../../support/proofs.ts";
import { startService } from "../../support/service.ts";
import { createHumanUser, createWorld } from "../../support/world.ts";
import { createApplication, type TestApplication } from "./support/application.ts";
import { credentialsOf, getCode, getTokens, redemption, refresh, signIn } from "./support/signed-in.ts";
import { askWithProof } from "./support/dpop.ts";
import { postForm } from "./support/machine.ts";

const key = makeProofKey();
const otherKey = makeProofKey("EdDSA");

const service = await startService();
const world = await createWorld(service);
const application = await createApplication(service, world);
const publicApplication = await createApplication(service, world, {
  appType: OidcAppType.USER_AGENT,
  authMethodType: OidcAuthMethodType.NONE,
});
const browser = await signIn(service, await createHumanUser(service, world.organizationId));
afterAll(() => service.stop());

const redeem = async (of: TestApplication) => {
  const code = await getCode(service, of, { browser, parameters: { scope: "openid offline_access" } });
  return await askWithProof(service, key, { form: redemption(of, code) });
};
const refreshWithProof = (of: TestApplication, token: unknown, by = key) => {
  const form = { grant_type: "refresh_token", refresh_token: String(token), ...credentialsOf(of) };
  return askWithProof(service, by, { form });
};

async function introspect(token: unknown) {
  const form = { token: String(token), ...credentialsOf(application) };
  const { text } = await postForm(service, "/oauth/v2/introspect", form);
  return JSON.parse(text) as Readonly<Record<string, unknown>>;
}

describe("a refresh token (RFC 9449 §5)", () => {
  const invalid = { status: 400, error: "invalid_grant" };

  test("of a public client is bound to the key that it was got with", async () => {
    const { json } = await redeem(publicApplication);
    const token = String(json["refresh_token"]);
    expect(await refresh(service, publicApplication, token)).toMatchObject(invalid);
    expect(await refreshWithProof(publicApplication, token, otherKey)).toMatchObject(invalid);
    const next = await refreshWithProof(publicApplication, token);
    expect(next).toMatchObject({ status: 200, json: { token_type: "DPoP" } });
    expect(await refresh(service, publicApplication, token)).toMatchObject(invalid);
    const repeated = await refreshWithProof(publicApplication, token);
    expect(repeated.json["refresh_token"]).toBe(next.json["refresh_token"]);
    expect(await refreshWithProof(publicApplication, next.json["refresh_token"])).toMatchObject({
      status: 200,
    });
  });

  test("of a public client is bound from the first proof on", async () => {
    const { refreshToken } = await getTokens(service, publicApplication, { browser });
    const plain = await refresh(service, publicApplication, refreshToken);
    expect(plain.json).toMatchObject({ token_type: "Bearer" });
    const bound = await refreshWithProof(publicApplication, plain.json["refresh_token"]);
    expect(bound.json).toMatchObject({ token_type: "DPoP" });
    const token = String(bound.json["refresh_token"]);
    expect(await refresh(service, publicApplication, token)).toMatchObject(invalid);
    expect(await refreshWithProof(publicApplication, token, otherKey)).toMatchObject(invalid);
    expect(await refreshWithProof(publicApplication, token)).toMatchObject({ status: 200 });
  });

  test("that is bound ends nothing when it comes again, however late, without its key", async () => {
    const { json } = await redeem(publicApplication);
    const token = String(json["refresh_token"]);
    const next = String((await refreshWithProof(publicApplication, token)).json["refresh_token"]);
    service.clock.turn(30_001);
    expect(await refresh(service, publicApplication, token)).toMatchObject(invalid);
    expect(await refreshWithProof(publicApplication, token, otherKey)).toMatchObject(invalid);
    const last = await refreshWithProof(publicApplication, next);
    expect(last).toMatchObject({ status: 200 });
    service.clock.turn(30_001);
    expect(await refreshWithProof(publicApplication, next)).toMatchObject(invalid); // with it, it ends the family
    expect(await refreshWithProof(publicApplication, last.json["refresh_token"])).toMatchObject(invalid);
  });

  describe("that is not bound, stolen by somebody who sends a proof of their own key", () => {
    const plain = async () => (await getTokens(service, publicApplication, { browser })).refreshToken;
    const revocations = async () =>
      (await service.place.raw.peek("SELECT * FROM events WHERE type = 'authorization.revoked'")).length;
    /** Expects that the request is refused and ends the family, and that no token of it is good, with or without a key. */
    const expectEnd = async (send: () => Promise<unknown>, ...tokens: readonly unknown[]) => {
      const before = await revocations();
      expect(await send()).toMatchObject(invalid);
      expect(await revocations()).toBe(before + 1);
      for (const token of tokens) {
        expect(await refresh(service, publicApplication, String(token))).toMatchObject(invalid);
        for (const by of [key, otherKey])
          expect(await refreshWithProof(publicApplication, token, by)).toMatchObject(invalid);
      }
    };

    test.each([0, 30_000, 30_001, 3_600_000])(
      "ends its family when the application uses it %d ms after the thief",
      async (laterMs) => {
        const token = await plain();
        const stolen = await refreshWithProof(publicApplication, token, otherKey);
        expect(stolen).toMatchObject({ status: 200, json: { token_type: "DPoP" } });
        service.clock.turn(laterMs);
        const use = () => refresh(service, publicApplication, token);
        await expectEnd(use, token, stolen.json["refresh_token"]);
      },
    );

    test("ends its family when the application uses it with a proof of its own", async () => {
      const token = await plain();
      const stolen = await refreshWithProof(publicApplication, token, otherKey);
      await expectEnd(() => refreshWithProof(publicApplication, token), stolen.json["refresh_token"]);
    });

    test.each(["without a proof", "with one"])(
      "ends its family when the application has just used it %s",
      async (how) => {
        const token = await plain();
        const { json } =
          how === "with one"
            ? await refreshWithProof(publicApplication, token)
            : await refresh(service, publicApplication, token);
        const steal = () => refreshWithProof(publicApplication, token, otherKey);
        await expectEnd(steal, token, json["refresh_token"]);
      },
    );
  });

  test("of a client that authenticates is not: each access token is bound to the key of its own request", async () => {
    const first = await redeem(application);
    const second = await refreshWithProof(application, first.json["refresh_token"], otherKey);
    expect(await introspect(second.json["access_token"])).toMatchObject({ cnf: { jkt: otherKey.jkt } });
    const third = await refresh(service, application, String(second.json["refresh_token"]));
    expect(third.json).toMatchObject({ token_type: "Bearer" });
    expect(await introspect(first.json["access_token"])).toMatchObject({ cnf: { jkt: key.jkt } });
  });
});
