import { describe, expect, test } from "@jest/globals";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { createHumanUser, idOf, nextPhone } from "../support/world.ts";
import { endingOf, inHttp, metadataOf, refusalIn } from "./support/condition-outcomes.ts";
import { having } from "./support/condition-rpcs.ts";
import { useConditionSetting } from "./support/condition-suite.ts";
import { everyLane } from "./support/lanes.ts";
import { prepareRefusal, readyOf, stateRefusals } from "./support/state-refusals.ts";

// When the sequence of an object is judged: after permission and existence, before all that is stored of it.

const setting = useConditionSetting();
const users = UserService.method;
const named = stateRefusals.map((refusal) => [`${refusal.method.name} ${refusal.reason}`, refusal] as const);

describe("the sequence is judged before what is stored:", () => {
  test.each(named)("%s", async (_name, refusal) => {
    const { world, make, traces } = setting;
    const ready = await prepareRefusal(world, refusal);
    const before = traces.count();
    for (const lane of everyLane) {
      const plain = await make(lane, ready);
      expect([lane, endingOf(plain)]).toEqual([lane, expect.stringContaining(` ${refusal.reason}`)]);
      const stale = await make(lane, having(ready, { "if-match": '"1"' }));
      expect([lane, endingOf(stale)]).toEqual([lane, inHttp(lane, "10 SEQUENCE_MISMATCH", 412)]);
      for (const tag of [`"${metadataOf(stale)["sequence"]}"`, "*"]) {
        const current = await make(lane, having(ready, { "if-match": tag }));
        expect([lane, tag, refusalIn(current)]).toEqual([lane, tag, refusalIn(plain)]);
      }
    }
    expect(traces.count()).toEqual(before);
  });
});

test("a wrong phone code with a stale sequence is no try", async () => {
  const { world, make, service } = setting;
  const userId = await createHumanUser(service, world.organizations.ours);
  const set = await service.call(users.setPhone, {
    userId,
    phone: nextPhone(),
    verification: { case: "returnCode", value: {} },
  });
  const code = idOf(set, "verificationCode");
  const wrong = readyOf(world, users.verifyPhone, {
    userId,
    verificationCode: code === "11111111" ? "2" : "11111111",
  });
  for (const lane of [...everyLane, ...everyLane]) {
    const stale = await make(lane, having(wrong, { "if-match": '"1"' }));
    expect([lane, endingOf(stale)]).toEqual([lane, inHttp(lane, "10 SEQUENCE_MISMATCH", 412)]);
  }
  const right = readyOf(world, users.verifyPhone, { userId, verificationCode: code });
  expect(endingOf(await make("json", right))).toBe("answered");
});
