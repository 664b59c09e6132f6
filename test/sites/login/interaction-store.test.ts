import { afterAll, expect, test } from "@jest/globals";
import { type ApplicationId, type InteractionId, toId } from "../../../src/kernel/base/ids.ts";
import { putInteraction } from "../../../src/identity/logins/interactions/repository.ts";
import { hashCookie, newCookieValue } from "../../../src/sites/login/cookies/cookies.ts";
import { loadInteraction, storeInteraction } from "../../../src/sites/login/flow/interaction-store.ts";
import { beginInteraction, endInteraction } from "../../../src/sites/login/interaction.ts";
import type { LoginRequest } from "../../../src/sites/login/login-request.ts";
import { openFeatureFixture } from "../../support/feature-fixture.ts";

const request: LoginRequest = {
  protocol: "oidc",
  applicationId: toId<ApplicationId>("1"),
  organizationId: undefined,
  prompts: [],
  maxAgeSeconds: undefined,
  loginHint: undefined,
  uiLocales: [],
  wantsMfa: false,
  subject: undefined,
  scopes: ["openid"],
  data: {},
};

const fixture = await openFeatureFixture();
afterAll(() => fixture.close());

test.each(["signed-in", "refused", undefined] as const)(
  "an interaction keeps how it ended: %p",
  async (how) => {
    const { context, clock, database } = fixture;
    const cookie = newCookieValue(context.random);
    const stored = await database.write(async (tx) => {
      const begun = beginInteraction(tx.nextId<InteractionId>(), request, clock.nowMs());
      const interaction = how === undefined ? begun : endInteraction(begun, how);
      await storeInteraction(context, tx, { interaction, cookie });
      return interaction;
    });
    const asked = { id: stored.id, cookie, nowMs: clock.nowMs() };
    const loaded = await database.read((tx) => loadInteraction(context, tx, asked));
    expect(loaded?.ended).toBe(how);
  },
);

test.each([
  [true, "signed-in"],
  [false, undefined],
] as const)("one that only told whether it had ended (%p) has not begun again", async (isEnded, expected) => {
  const { context, clock, database } = fixture;
  const cookie = newCookieValue(context.random);
  const id = await database.write(async (tx) => {
    const begun = beginInteraction(tx.nextId<InteractionId>(), request, clock.nowMs());
    const { ended: _ended, expirationMs, ...content } = begun;
    const text = Buffer.from(JSON.stringify({ ...content, isEnded }));
    await putInteraction(tx, {
      id: begun.id,
      cookieHash: hashCookie(cookie),
      userId: undefined,
      applicationId: request.applicationId,
      content: context.keyring.encrypt("interaction", text, begun.id),
      expirationMs,
    });
    return begun.id;
  });
  const loaded = await database.read((tx) =>
    loadInteraction(context, tx, { id, cookie, nowMs: clock.nowMs() }),
  );
  expect(loaded?.ended).toBe(expected);
  expect(loaded).not.toHaveProperty("isEnded");
});
