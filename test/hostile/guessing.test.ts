import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { lanes, type Outcome } from "../support/clients.ts";
import { refusalOf } from "../support/service.ts";
import { createWorld, type World } from "../support/world.ts";
import { type Lab, startLab, startLabWithWorld } from "./support/lab.ts";

let lab: Lab;
let world: World;
beforeAll(async () => {
  ({ lab, world } = await startLabWithWorld());
});
afterAll(() => lab.discard());

async function verify(verificationCode: string, index: number): Promise<Outcome> {
  const lane = lanes[index % lanes.length] ?? "json";
  const request = { userId: world.userId, verificationCode };
  return await lab.clients[lane].call(UserService.method.verifyPhone, request, { token: world.owner.token });
}

function reasonOf(outcome: Outcome): string {
  const { reason } = refusalOf(outcome);
  return typeof reason === "string" ? reason : "no reason";
}

function count(outcomes: readonly Outcome[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) {
    const how = outcome.kind === "answer" ? "ok" : reasonOf(outcome);
    counts[how] = (counts[how] ?? 0) + 1;
  }
  return counts;
}

test("1,000 wrong codes, 64 at a time, with a restart in between: five are compared, and the right one is void", async () => {
  const wrong = (index: number) =>
    String((Number(world.phoneCode) + 1 + index) % 100_000_000).padStart(8, "0");
  const outcomes: Outcome[] = [];
  for (let from = 0; from < 1000; from += 64) {
    if (from === 512) {
      await lab.stop();
      lab = await startLab([], { folder: { path: lab.dataFolder, remove: lab.remove } });
    }
    const batch = Array.from({ length: Math.min(64, 1000 - from) }, (_each, at) => from + at);
    outcomes.push(...(await Promise.all(batch.map((index) => verify(wrong(index), index)))));
  }
  expect(count(outcomes)).toEqual({ CODE_INVALID: 5, CODE_EXHAUSTED: 995 });
  expect(refusalOf(await verify(world.phoneCode, 0)).reason).toBe("CODE_EXHAUSTED");
});

test("the right code, 64 times at once over all content types, succeeds once", async () => {
  const other = await createWorld(lab);
  const request = { userId: other.userId, verificationCode: other.phoneCode };
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, (_each, index) =>
      lab.clients[lanes[index % lanes.length] ?? "json"].call(UserService.method.verifyPhone, request, {
        token: other.owner.token,
      }),
    ),
  );
  expect(count(outcomes)).toEqual({ ok: 1, CODE_NOT_PENDING: 63 });
});

test.each<readonly [string, readonly string[], string]>([
  ["10,000 roles", Array.from({ length: 10_000 }, (_each, index) => `role${index}`), "FIELD_INVALID"],
  ["the same role 10,000 times", Array.from({ length: 10_000 }, () => "reader"), "FIELD_INVALID"],
  [
    "1,000 roles that are not there",
    Array.from({ length: 1000 }, (_each, index) => `role${index}`),
    "NOT_FOUND",
  ],
  ["__proto__", ["__proto__"], "NOT_FOUND"],
  ["constructor and toString", ["constructor", "toString"], "NOT_FOUND"],
  ["a role among wildcards", ["reade_", "%"], "NOT_FOUND"],
  ["a role in another case", ["READER"], "NOT_FOUND"],
  ["a role with a blank behind", ["reader "], "NOT_FOUND"],
  ["a role with what looks the same", ["rеader"], "NOT_FOUND"],
])("a grant of %s is refused on every content type", async (_what, roleKeys, reason) => {
  const { userId, projectId, owner } = await createWorld(lab);
  for (const lane of lanes) {
    const request = { userId, projectId, roleKeys: [...roleKeys] };
    const outcome = await lab.clients[lane].call(UserGrantService.method.addUserGrant, request, {
      token: owner.token,
    });
    expect(refusalOf(outcome).reason).toBe(reason);
  }
  expect(lab.faults()).toEqual([]);
});
