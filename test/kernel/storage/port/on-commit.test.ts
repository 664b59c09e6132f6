import { expect, test } from "@jest/globals";
import { insertName, usePort } from "./open-place.ts";

const port = usePort();

test("a listener hears of a commit once it can be read, and before the write is answered", async () => {
  const order: string[] = [];
  const reads: Promise<readonly string[]>[] = [];
  port.database.onCommit(() => {
    order.push("heard");
    reads.push(port.names());
  });
  await port.database.write((tx) => tx.run(insertName, ["a"])).then(() => order.push("answered"));
  expect(order).toEqual(["heard", "answered"]);
  expect(await Promise.all(reads)).toEqual([["a"]]);
});

test("a listener hears once of writes that are committed together", async () => {
  let count = 0;
  port.database.onCommit(() => (count += 1));
  await Promise.all(["a", "b", "c"].map((name) => port.database.write((tx) => tx.run(insertName, [name]))));
  expect(count).toBe(1);
});

test("a listener that has ended hears nothing, and the others still do", async () => {
  const heard: string[] = [];
  const listen = (name: string) => port.database.onCommit(() => heard.push(name));
  const end = listen("first");
  listen("second");
  end();
  await port.database.write((tx) => tx.run(insertName, ["a"]));
  expect(heard).toEqual(["second"]);
});

test("a listener of this process hears of its own commits likewise, until it ends", async () => {
  const order: string[] = [];
  const end = port.database.onOwnCommit(() => void order.push("heard"));
  await port.database.write((tx) => tx.run(insertName, ["a"])).then(() => order.push("answered"));
  end();
  await port.database.write((tx) => tx.run(insertName, ["b"]));
  expect(order).toEqual(["heard", "answered"]);
});
