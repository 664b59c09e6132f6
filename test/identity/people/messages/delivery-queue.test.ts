import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { loginName } from "../passwords/ground.ts";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { createEmailCommands } from "../../../../src/identity/people/emails/commands.ts";
import { createMailer, type Mailer } from "../../../../src/identity/people/emails/mailer.ts";
import {
  createDeliveryQueue,
  type DeliveryQueue,
  deliveryBounds,
} from "../../../../src/identity/people/messages/delivery-queue.ts";
import { createPasswordHasher } from "../../../../src/identity/people/passwords/hasher.ts";
import { requestResetByName } from "../../../../src/identity/people/passwords/reset-request.ts";
import { testPasswordCost } from "../../../support/password-cost.ts";
import { type Fixture, openFixture } from "../../user-service/fixture.ts";
import { outcomeOf } from "../../../support/problems.ts";

/** A provider that hangs until the test lets some go. */
function createHanging() {
  const open: (() => void)[] = [];
  return {
    open,
    send: () =>
      new Promise<void>((resolve) => {
        open.push(resolve);
      }),
    /** Lets the oldest ones go. */
    async release(count: number) {
      for (const end of open.splice(0, count)) end();
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
}

const isFull = ({ requireRoom }: Pick<DeliveryQueue, "requireRoom">) => {
  try {
    requireRoom();
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ kind: "unavailable", reason: "OVERLOADED", retryAfterMs: 1000 });
    return true;
  }
};

describe("a queue", () => {
  test("runs 20 deliveries at once and lets 200 wait, in their order", async () => {
    const hanging = createHanging();
    const queue = createDeliveryQueue(deliveryBounds);
    const begun: number[] = [];
    for (let index = 0; index < 220; index += 1) {
      expect(isFull(queue)).toBe(false);
      queue.add(() => {
        begun.push(index);
        return hanging.send();
      });
    }
    expect([begun.length, hanging.open.length, isFull(queue)]).toEqual([20, 20, true]);
    await hanging.release(3);
    expect([begun.slice(-3), hanging.open.length, isFull(queue)]).toEqual([[20, 21, 22], 20, false]);
    const idle = queue.idle();
    while (hanging.open.length > 0) await hanging.release(20);
    await idle;
    expect(begun).toEqual(Array.from({ length: 220 }, (_, index) => index));
  });

  test("takes what was counted before it was full, and loses nothing", async () => {
    const hanging = createHanging();
    const queue = createDeliveryQueue({ maxRunning: 1, maxWaiting: 1 });
    for (let count = 0; count < 4; count += 1) queue.add(hanging.send);
    let ended = 0;
    while (hanging.open.length > 0) {
      await hanging.release(1);
      ended += 1;
    }
    expect(ended).toBe(4);
  });
});

describe("while a provider hangs", () => {
  let fixture: Fixture;
  let hanging: ReturnType<typeof createHanging>;
  let mailer: Mailer;
  let count = 0;
  beforeAll(async () => {
    fixture = await openFixture();
  });
  afterAll(() => fixture.close());
  beforeEach(() => {
    hanging = createHanging();
    const bounds = { maxRunning: 1, maxWaiting: 1 };
    mailer = createMailer(fixture.context, { provider: hanging, onFailure: () => undefined, bounds });
  });

  async function addPerson() {
    count += 1;
    const username = `person-${count}`;
    return { username, userId: await fixture.addHuman(username) };
  }

  test("a call is refused before anything is stored or counted, and succeeds when it is repeated later", async () => {
    const emails = createEmailCommands({ ...fixture.context, hasTwoFactors: async () => false }, mailer);
    const set = async () => {
      const { userId } = await addPerson();
      const email = `${userId}@example.test`;
      return {
        userId,
        again: () => emails.set(fixture.call(), { userId, email, verification: "send-code" }),
      };
    };
    for (let done = 0; done < 2; done += 1) expect(await outcomeOf((await set()).again())).toBe("ok");
    const { userId, again } = await set();
    const events = await fixture.eventCount();
    expect(await outcomeOf(again())).toBe("OVERLOADED");
    expect(await fixture.eventCount()).toBe(events);
    const rows = await fixture.read((tx) => tx.all("SELECT id FROM secrets WHERE id LIKE ?", [`%${userId}`]));
    expect(rows.filter((row) => JSON.stringify(row).includes("rate"))).toEqual([]);
    await hanging.release(1);
    expect(await outcomeOf(again())).toBe("ok"); // at once: no pause was begun
    while (hanging.open.length > 0) await hanging.release(1);
    await mailer.idle();
  });

  test("a reset by name is refused for everybody alike", async () => {
    const { context } = fixture;
    const { random } = context;
    const hasher = createPasswordHasher({ parallelism: 1, maxWaiting: 1, random, cost: testPasswordCost });
    const ask = (username: string) =>
      requestResetByName(
        { context, mailer, hasher },
        {
          login: loginName(username),
          homeId: undefined,
          issuer: "https://login.example",
          clientId: undefined,
          remoteAddress: undefined,
          requestId: "1",
        },
      );
    const { username, userId } = await addPerson();
    const email = `${username}@example.test`;
    await fixture.commands.emails.set(fixture.call(), { userId, email, verification: "is-verified" });
    for (const name of [username, "nobody"]) expect(await ask(name)).toEqual({ kind: "asked" });
    expect(hanging.open).toHaveLength(1);
    const emails = createEmailCommands({ ...context, hasTwoFactors: async () => false }, mailer);
    const { userId: other } = await addPerson();
    await emails.set(fixture.call(), { userId: other, email: "b@example.test", verification: "send-code" });
    for (const name of [username, "nobody"]) expect(await outcomeOf(ask(name))).toBe("OVERLOADED");
    while (hanging.open.length > 0) await hanging.release(1);
    await mailer.idle();
  });
});
