import { expect, test } from "@jest/globals";
import type { HookSession } from "../../../src/identity/hooks/calls/ask-hooks.ts";
import type { WriteTransaction } from "../../../src/kernel/base/database.ts";
import { type InteractionId, toId, type RecoveryCodesId, type UserId } from "../../../src/kernel/base/ids.ts";
import type { LoginState } from "../../../src/sites/login/login-state.ts";
import { settleFactor } from "../../../src/sites/login/settle-factor.ts";

const codesId = toId<RecoveryCodesId>("9");
const idOf = (text: string) => toId<UserId>(text);
const tx = { nested: (work: (inner: unknown) => unknown) => work(tx) } as unknown as WriteTransaction;

/** Settles a factor of user 1 in a login of that user. */
async function settleIn(userId: string) {
  const settled: string[] = [];
  const settle = settleFactor(
    {
      kind: "right",
      userId: idOf("1"),
      async settle() {
        settled.push("1");
        return { check: { method: "RECOVERY_CODE", codesId }, events: [] };
      },
    },
    () => true,
  );
  const interaction = { id: toId<InteractionId>("7"), user: undefined, checks: [], notes: {} };
  const user = { user: { id: idOf(userId) }, lockCount: 0 };
  const state = { interaction, user, issuer: "https://login.example", nowMs: 5 } as unknown as LoginState;
  return { changed: await settle(tx, state, {} as HookSession), settled };
}

test("a factor counts in a login of its user", async () => {
  const { changed, settled } = await settleIn("1");
  expect(settled).toEqual(["1"]);
  expect("interaction" in changed && changed.interaction.checks).toEqual([
    { method: "RECOVERY_CODE", codesId, dateMs: 5 },
  ]);
});

test("a factor neither counts nor is used in a login of somebody else", async () => {
  const { changed, settled } = await settleIn("2");
  expect([settled, "reply" in changed && changed.reply.headers]).toEqual([
    [],
    expect.objectContaining({ location: "https://login.example/login/7" }),
  ]);
});
