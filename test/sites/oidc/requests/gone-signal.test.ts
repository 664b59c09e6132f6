import { expect, test } from "@jest/globals";
import { EventEmitter } from "node:events";
import { signalOf } from "../../../../src/sites/oidc/requests/gone-signal.ts";

test("a signal is aborted when the client goes", () => {
  const answering = new EventEmitter();
  const signal = signalOf({ answering, isGone: false });
  expect(signal.aborted).toBe(false);
  answering.emit("close");
  expect(signal.aborted).toBe(true);
});

test("a signal for a client that has gone before is aborted from the start", () => {
  expect(signalOf({ answering: new EventEmitter(), isGone: true }).aborted).toBe(true);
});
