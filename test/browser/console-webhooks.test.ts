// Webhooks in the console: one is added, its deliveries are looked at, and an event is sent again.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createProject } from "../support/world.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { type ConsoleWindow, useConsoleStage } from "./support/console-stage.ts";

const stage = useConsoleStage({ dev: true });
let window: ConsoleWindow;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  window = await stage().open("/");
});
afterAll(() => receiver.stop());

test("a webhook is added, gets an event twice, another secret, is stopped and removed", async () => {
  const { service, organizationId } = stage();
  const list = `/orgs/${organizationId}/webhooks`;
  const row = (name: string) => window.page.getByRole("row", { name });
  await window.visit(list);
  await window.page.getByText("No webhooks yet").waitFor();
  await window.button("Add webhook").first().click();
  await window.field("Name").fill("CRM");
  await window.field("URL").fill(receiver.url);
  await window.page.getByLabel("Event types").fill("project.added");
  await window.button("Add webhook").click();
  await window.page.getByText(/^whsec_/).waitFor();
  await window.dialog.button("I have kept it").click();
  await window.heading("CRM");
  const place = window.place();
  await createProject(service, organizationId);
  await receiver.got(1);
  await window.visit(place);
  await row("project.added delivered (204)").waitFor();
  await window.page.getByRole("button", { name: /^Redeliver/ }).click();
  await window.notice("The events are being sent again.");
  expect(new Set((await receiver.got(2)).map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  await window.button("Add secret").click();
  await window.dialog.button("Add secret").click();
  await window.page.getByText(/^whsec_/).waitFor();
  await window.dialog.button("I have kept it").click();
  await window.page
    .getByRole("button", { name: /^Remove: Signing secret/ })
    .first()
    .click();
  await window.dialog.button("Remove").click();
  await window.button("Add secret").waitFor();
  await window.expectAllAccessible([list, place, `${list}/new`, "/webhooks"]);
  await window.visit(place);
  await window.button("Deactivate").click();
  await window.dialog.button("Deactivate").click();
  await window.notice("CRM was deactivated.");
  await window.button("Remove webhook").click();
  await window.dialog.button("Remove").click();
  await window.page.getByText("No webhooks yet").waitFor();
  expect(window.complaints).toEqual([]);
});
