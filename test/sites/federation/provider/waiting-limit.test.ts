import { expect, test } from "@jest/globals";
import { createWaitingLimit } from "../../../../src/sites/federation/provider/waiting-limit.ts";

const from = (remoteAddress: string | undefined, organizationId = "1") => ({ organizationId, remoteAddress });
const full = { kind: "unavailable", detail: "too many wait" };
const fullForAddress = { kind: "unavailable", detail: "too many of an address wait" };

test("64 wait for the providers of an organization, and more are refused until one is done", async () => {
  const limit = createWaitingLimit();
  const answer = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 64 }, (_, index) =>
    limit.run(from(`192.0.2.${index % 4}`), () => answer.promise),
  );
  await expect(limit.run(from("192.0.2.9"), async () => "in")).rejects.toMatchObject(full);
  expect(await limit.run(from("192.0.2.9", "2"), async () => "in")).toBe("in");
  answer.resolve();
  await Promise.all(waiting);
  expect(await limit.run(from("192.0.2.0"), async () => "in")).toBe("in");
});

test.each([
  ["an IPv4 address", () => "192.0.2.1", "192.0.2.2"],
  ["a /64 network", (index: number) => `2001:db8::${index}`, "2001:db8:0:1::1"],
  ["no address", () => undefined, "192.0.2.1"],
])("a quarter of them are of %s", async (_name, addressOf, other) => {
  const limit = createWaitingLimit();
  const answer = Promise.withResolvers<void>();
  const waiting = Array.from({ length: 16 }, (_, index) =>
    limit.run(from(addressOf(index)), () => answer.promise),
  );
  await expect(limit.run(from(addressOf(17)), async () => "in")).rejects.toMatchObject(fullForAddress);
  expect(await limit.run(from(other), async () => "in")).toBe("in");
  expect(await limit.run(from(addressOf(17), "2"), async () => "in")).toBe("in");
  answer.resolve();
  await Promise.all(waiting);
  expect(await limit.run(from(addressOf(17)), async () => "in")).toBe("in");
});

test("a place is given back after a failure", async () => {
  const limit = createWaitingLimit();
  const fail = () => limit.run(from("192.0.2.1"), () => Promise.reject(new Error("no")));
  for (let index = 0; index < 65; index++) await expect(fail()).rejects.toThrow("no");
});
