import { afterAll, beforeAll } from "@jest/globals";
import type { Outcome } from "../../support/clients.ts";
import { startService, type TestService } from "../../support/service.ts";
import { endingOf, openTraces, type Traces } from "./condition-outcomes.ts";
import { makeOn, type Ready, sendsLater } from "./condition-rpcs.ts";
import { type EveryLane, openLanes } from "./lanes.ts";
import { createTenancyWorld, type TenancyWorld } from "./tenancy-world.ts";

/** What the tests of the conditions begin with. Its parts are there once the tests run. */
export interface ConditionSetting {
  readonly service: TestService;
  readonly world: TenancyWorld;
  readonly traces: Traces;
  /** Makes a call, and waits for the message that it sends. */
  make(lane: EveryLane, ready: Ready): Promise<Outcome>;
}

/** Has a service with the objects of the matrix for the tests of a file. */
export function useConditionSetting(): ConditionSetting {
  const setting: { -readonly [name in keyof ConditionSetting]?: ConditionSetting[name] } = {};
  beforeAll(async () => {
    setting.service = await startService();
    setting.world = await createTenancyWorld(setting.service);
    const traces = openTraces(setting.service);
    setting.traces = traces;
    const callOn = openLanes(setting.service);
    setting.make = async (lane, ready) => {
      if (!sendsLater.has(ready.method.name)) return makeOn(callOn, lane, ready);
      const before = traces.countMessages();
      const outcome = await makeOn(callOn, lane, ready);
      if (endingOf(outcome) === "answered") await traces.sentMore(before);
      return outcome;
    };
  });
  afterAll(async () => {
    await setting.service?.stop();
  });
  return setting as ConditionSetting; // filled before the first test
}

let keys = 0;

/** Returns an idempotency key that no other call has. */
export function newKey(): string {
  keys += 1;
  return `key-${process.pid}-${keys}`;
}
