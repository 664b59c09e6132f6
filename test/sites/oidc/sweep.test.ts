import { reserveTry } from "../../../src/identity/logins/tries/repository.ts";
import { addressLimits } from "../../../src/identity/logins/tries/try.ts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import {
  type ApplicationId,
  type AuthorizationId,
  type TokenId,
  toId,
  type UserId,
} from "../../../src/kernel/base/ids.ts";
import { putAccessToken, revokeAccessToken } from "../../../src/identity/logins/access-tokens/repository.ts";
import { useAssertion } from "../../../src/identity/protocol-state/assertion-uses/repository.ts";
import type { Authorization } from "../../../src/identity/logins/authorizations/authorization.ts";
import { putAuthorization } from "../../../src/identity/logins/authorizations/repository.ts";
import { deviceMemoryMs } from "../../../src/identity/protocol-state/device-authorizations/device-authorization.ts";
import { putWaitingDevice } from "../../../src/identity/protocol-state/device-authorizations/repository.ts";
import { putAuthorizationCode, putRefreshToken } from "../../../src/sites/oidc/codes/repository.ts";
import { putPushedRequest } from "../../../src/identity/protocol-state/pushed-requests/repository.ts";
import { putTries } from "../../../src/sites/oidc/clients/repository.ts";
import { sweepExpired } from "../../../src/sites/oidc/sweep.ts";
import { type FeatureFixture, openFeatureFixture } from "../../support/feature-fixture.ts";

let fixture: FeatureFixture;
beforeEach(async () => {
  fixture = await openFeatureFixture();
});
afterEach(() => fixture.close());

const tables = ["access_tokens", "revoked_access_tokens", "used_assertions", "client_tries", "tries"];
const ofLogins = ["authorizations", "authorization_codes", "refresh_tokens", "device_authorizations"];

/** Puts so many rows into each table that end at that time. */
async function fill(count: number, expirationMs: number): Promise<void> {
  await fixture.database.write(async (tx) => {
    for (let index = 0; index < count; index++) {
      const hash = `${expirationMs} ${index}`;
      const basis = { kind: "credential" as const, credentialId: toId<TokenId>("2") };
      const ids = { userId: toId<UserId>("1"), basis, clientId: "1" };
      const token = {
        ...ids,
        exchanges: [],
        act: undefined,
        jkt: undefined,
        sealedAnswers: undefined,
        lockCount: 0,
        scopes: [],
        resources: [],
        audiences: [],
        issuedMs: 0,
        expirationMs,
      };
      await putAccessToken(tx, hash, token);
      await revokeAccessToken(tx, { hash, expirationMs });
      await useAssertion(tx, { hash, expirationMs });
      await putTries(tx, hash, { count: 1, expirationMs });
      const limits = { ...addressLimits, windowMs: 1 } as const;
      await reserveTry(tx, { kind: "address", key: hash, nowMs: expirationMs - 1, limits });
      const authorizationId = tx.nextId<AuthorizationId>();
      await putAuthorization(tx, authorizationOf(authorizationId, expirationMs + 1));
      const code = {
        redirectUri: "https://a.example",
        codeChallenge: undefined,
        jkt: undefined,
        sealedAnswers: undefined,
      };
      await putAuthorizationCode(tx, { hash, authorizationId, ...code, expirationMs });
      await putRefreshToken(tx, { hash, authorizationId, jkt: undefined, idleExpirationMs: 0, expirationMs });
      const device = { hash, userCodeHash: hash, holderHash: "", applicationId: toId<ApplicationId>("2") };
      const ends = { intervalSeconds: 5, expirationMs: expirationMs - deviceMemoryMs };
      await putWaitingDevice(tx, { ...device, ...ends, scopes: [], resources: [] });
    }
  });
}

/** Makes an authorization that ends then. What rests on it goes with it. */
function authorizationOf(id: AuthorizationId, expirationMs: number): Authorization {
  return {
    id,
    userId: toId("1"),
    applicationId: toId("2"),
    organizationId: toId("3"),
    sessionId: toId("4"),
    scopes: [],
    resources: [],
    consent: undefined,
    claims: undefined,
    sealedNonce: undefined,
    authTimeMs: 0,
    methods: ["PASSWORD"],
    lockCount: 0,
    generation: 0,
    hasRefresh: true,
    creationMs: 0,
    expirationMs,
    isEnded: false,
  };
}

const counts = () =>
  fixture.database.read(async (tx) => {
    const rows = [...tables, ...ofLogins].map((table) =>
      tx.get<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`),
    );
    return (await Promise.all(rows)).map((row) => row?.n);
  });

describe("the sweep of what has expired", () => {
  test("takes all of it away, in portions, and nothing else", async () => {
    const nowMs = fixture.clock.nowMs();
    await fill(501, nowMs);
    await fill(2, nowMs + 1);
    await sweepExpired(fixture.context);
    expect(await counts()).toEqual([2, 2, 2, 2, 2, 503, 2, 2, 2]);
    fixture.clock.turn(1);
    await sweepExpired(fixture.context);
    expect(await counts()).toEqual([0, 0, 0, 0, 0, 2, 0, 0, 0]);
    fixture.clock.turn(1);
    await sweepExpired(fixture.context);
    expect((await counts()).at(5)).toBe(0);
  });
});

test("the sweep takes pushed requests away whose time is over, in portions, and no others", async () => {
  const nowMs = fixture.clock.nowMs();
  const content = { keyId: "none", value: new Uint8Array() };
  await fixture.database.write(async (tx) => {
    for (let index = 0; index < 502; index++)
      await putPushedRequest(tx, {
        hash: String(index),
        applicationId: toId("1"),
        holderHash: "a",
        content,
        expirationMs: index < 501 ? nowMs : nowMs + 1,
      });
  });
  await sweepExpired(fixture.context);
  const rows = await fixture.database.read((tx) => tx.all("SELECT hash FROM pushed_requests"));
  expect(rows).toEqual([{ hash: "501" }]);
});

test("an assertion is used once until its time is over", async () => {
  const use = { hash: "a", expirationMs: fixture.clock.nowMs() + 10 };
  const first = await fixture.database.write((tx) => useAssertion(tx, use));
  const second = await fixture.database.write((tx) => useAssertion(tx, use));
  expect([first, second]).toEqual([true, false]);
});
