// SIGKILL of the service and of a receiver around deliveries: every event arrives, in order, and what comes twice has the same id.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { TargetService } from "../../gen/gatehouse/v1/target_service_pb.ts";
import { startWebhookReceiver, type WebhookReceiver } from "../support/webhook-receiver.ts";
import { createCaller, idOf, uniqueName } from "../support/world.ts";
import { rounds, useServing } from "./support/serving.ts";

const serving = useServing(["--dev"]);
/** Another process takes over within this time. */
const takeOverMs = 10_000;

let receiver: WebhookReceiver;
let organizationId: string;
/** What the receivers before this one got. */
const before: string[] = [];

const callNow = () => createCaller(serving.service, organizationId);
const add = () => callNow()(ProjectService.method.addProject, { name: uniqueName("Project") });

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  const name = uniqueName("Organization");
  organizationId = idOf(
    await serving.service.call(OrganizationService.method.addOrganization, { name }),
    "organizationId",
  );
  const target = { name: "Target", url: receiver.url, eventTypes: ["project.added"] };
  await callNow()(TargetService.method.addTarget, target);
}, 60_000);
afterAll(() => receiver.stop());

const idsSoFar = () => [...before, ...receiver.received.map(({ headers }) => String(headers["webhook-id"]))];

/** Waits until everything that was committed has come, and says what is missing or out of order. */
async function expectAll(): Promise<void> {
  const { events } = await callNow()(EventService.method.listEvents, {
    eventType: "project.added",
    pageSize: 1000,
  });
  const committed = (events as JsonObject[]).map((event) => idOf(event, "sequence"));
  for (let count = receiver.received.length; !committed.every((id) => idsSoFar().includes(id)); count += 1)
    await receiver.got(count + 1);
  expect([...new Set(idsSoFar())]).toEqual(committed);
}

describe("SIGKILL around a delivery", () => {
  test.each(rounds)("round %d, %s", async (_round, moment) => {
    await serving.cutOff(moment, add);
    await add();
    await expectAll();
  });

  test("while it is sent: a process goes on within ten seconds, whichever has sent it", async () => {
    const release = receiver.hold();
    const count = receiver.received.length;
    await add();
    await receiver.got(count + 1);
    const killedMs = performance.now();
    const going = serving.goOn();
    release();
    await going;
    await add();
    await expectAll();
    expect(performance.now() - killedMs).toBeLessThan(takeOverMs);
  });

  test("of the receiver: what it missed comes when it is there again", async () => {
    await add();
    await expectAll();
    before.push(...idsSoFar().slice(before.length));
    const { port } = new URL(receiver.url);
    await receiver.stop();
    for (let count = 0; count < 3; count += 1) await add();
    receiver = await startWebhookReceiver(Number(port));
    await expectAll();
  });
});
