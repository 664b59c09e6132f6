// What a request of a client writes of its assertion and its proof, and how often.
import { afterAll, expect, test } from "@jest/globals";
import type { Database } from "../../../../src/kernel/base/database.ts";
import type { AssertionUse } from "../../../../src/identity/protocol-state/assertion-uses/assertion-use.ts";
import { useAssertion } from "../../../../src/identity/protocol-state/assertion-uses/repository.ts";
import { answerWithUse } from "../../../../src/sites/oidc/clients/answer-with-use.ts";
import { writeWithUse } from "../../../../src/sites/oidc/clients/assertion-use.ts";
import { OAuthError } from "../../../../src/sites/oidc/requests/oauth-error.ts";
import type { OAuthRequest } from "../../../../src/sites/oidc/requests/oauth-request.ts";
import { openFeatureFixture } from "../../../support/feature-fixture.ts";

let writes = 0;
const fixture = await openFeatureFixture();
const database: Pick<Database, "write"> = {
  write: (work, how) => {
    writes++;
    return fixture.database.write(work, how);
  },
};
afterAll(() => fixture.close());

const signal = new AbortController().signal;
const refusal = new OAuthError("invalid_grant", "refused");
let drawn = 0;
const draw = (kind: AssertionUse["kind"]): AssertionUse => ({
  kind,
  hash: `${kind} ${drawn++}`,
  expirationMs: 1,
});

/** Answers a request with an assertion and a proof. Returns the error of the answer and the number of writes. */
async function send(
  { assertion, proof }: { readonly assertion?: AssertionUse; readonly proof?: AssertionUse },
  how: { readonly isRefused: "before" | "within" | "never" },
) {
  writes = 0;
  const uses = [assertion, proof].filter((use) => use !== undefined);
  const answer = answerWithUse(database, { makeSignal: () => signal } as OAuthRequest, async (request) => {
    if (assertion !== undefined) request.assertion.note(assertion);
    if (how.isRefused === "before") throw refusal;
    return await writeWithUse(database, { uses, request }, async (tx) => {
      await useAssertion(tx, { hash: `work ${drawn++}`, expirationMs: 1 });
      if (how.isRefused === "within") throw refusal;
      return {};
    });
  });
  const error = await answer.then(
    () => undefined,
    (thrown: unknown) => (thrown instanceof OAuthError ? thrown.code : Promise.reject(thrown)),
  );
  return { error, writes };
}

const isUsed = async ({ hash }: AssertionUse) =>
  await fixture.database.read(
    async (tx) => (await tx.get("SELECT 1 FROM used_assertions WHERE hash = ?", [hash])) !== undefined,
  );

const refusals = ["before", "within"] as const;

test.each(refusals)(
  "a request that is refused %s its write uses its assertion in one write",
  async (isRefused) => {
    const [assertion, proof] = [draw("assertion"), draw("proof")];
    expect(await send({ assertion, proof }, { isRefused })).toEqual({ error: "invalid_grant", writes: 1 });
    expect([await isUsed(assertion), await isUsed(proof)]).toEqual([true, false]);
  },
);

test.each(refusals)("refused %s it, it uses no proof", async (isRefused) => {
  const proof = draw("proof");
  const { error } = await send({ proof }, { isRefused });
  expect([error, await isUsed(proof)]).toEqual(["invalid_grant", false]);
});

test("one that is good uses both, in the same write", async () => {
  const [assertion, proof] = [draw("assertion"), draw("proof")];
  expect(await send({ assertion, proof }, { isRefused: "never" })).toEqual({ error: undefined, writes: 1 });
  expect([await isUsed(assertion), await isUsed(proof)]).toEqual([true, true]);
});

test("one whose proof was used before uses its assertion, and one whose assertion was used before no proof", async () => {
  const [assertion, proof] = [draw("assertion"), draw("proof")];
  await send({ proof }, { isRefused: "never" });
  const repeated = await send({ assertion, proof }, { isRefused: "never" });
  expect(repeated).toEqual({ error: "invalid_dpop_proof", writes: 1 });
  expect(await isUsed(assertion)).toBe(true);
  const fresh = draw("proof");
  const again = await send({ assertion, proof: fresh }, { isRefused: "never" });
  expect(again).toEqual({ error: "invalid_client", writes: 1 });
  expect(await isUsed(fresh)).toBe(false);
});
