// Hooks in the console: one is added, tried out, stopped and removed.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { type HookReceiver, startHookReceiver, withJson } from "../support/hook-receiver.ts";
import { type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage({ dev: true });
let window: ConsoleWindow;
let receiver: HookReceiver;
beforeAll(async () => {
  receiver = await startHookReceiver();
  window = await stage().open("/");
});
afterAll(() => receiver.stop());

test("a hook is added, tried out, gets another secret and another time limit, is stopped and removed", async () => {
  const list = `/orgs/${stage().organizationId}/hooks`;
  await window.visit(list);
  await window.page.getByText("No hooks yet").waitFor();
  await window.button("Add hook").first().click();
  await window.field("Name").fill("Tiers");
  await window.field("URL").fill(receiver.url);
  await window.button("Add hook").click();
  await window.page.getByText(/^whsec_/).waitFor();
  await window.dialog.button("I have kept it").click();
  await window.heading("Tiers");
  const place = window.place();
  receiver.answer = withJson({ claims: { tier: "gold" } });
  await window.button("Try it out").click();
  await window.dialog.button("Try it out").click();
  await window.page.getByText('{"claims":{"tier":"gold"}}').waitFor();
  expect(receiver.calls[0]?.body.data).toMatchObject({ trial: true });
  await window.page.getByLabel("Time limit in milliseconds").fill("700");
  await window.button("Save").click();
  await window.notice("The hook was saved.");
  await window.button("Add secret").click();
  await window.dialog.button("Add secret").click();
  await window.page.getByText(/^whsec_/).waitFor();
  await window.dialog.button("I have kept it").click();
  await window.expectAllAccessible([list, place, `${list}/new`, "/hooks"]);
  await window.visit(place);
  await window.button("Deactivate").click();
  await window.dialog.button("Deactivate").click();
  await window.notice("Tiers was deactivated.");
  await window.button("Remove hook").click();
  await window.dialog.button("Remove").click();
  await window.page.getByText("No hooks yet").waitFor();
  expect(window.complaints).toEqual([]);
});
