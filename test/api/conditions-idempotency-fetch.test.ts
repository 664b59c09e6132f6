import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { samlMetadata, uniqueName } from "../support/world.ts";
import { answerIn, endingOf } from "./support/condition-outcomes.ts";
import { newKey } from "./support/condition-suite.ts";
import { everyLane, type Setting, startSetting } from "./support/lanes.ts";

// A call that waits for another server is on its way long enough to be overtaken by its own repeat.

let setting: Setting;
const waiting: ServerResponse[] = [];
const server = createServer((_request, response) => {
  waiting.push(response);
  server.emit("asked");
});

beforeAll(async () => {
  setting = await startSetting({ dev: true });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await setting.service.stop();
});

test.each(everyLane)(
  "a call over %s that fails after its repeat was done is answered as that one",
  async (lane) => {
    const { callOn, world } = setting;
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const request = {
      projectId: world.projectId,
      name: uniqueName("Application"),
      metadataUrl: `http://127.0.0.1:${port}/${lane}`,
    };
    const options = { token: world.owner.token, headers: { "idempotency-key": newKey() } };
    const begin = async () => {
      const asked = once(server, "asked");
      const call = callOn[lane](ApplicationService.method.createSamlApplication, request, options);
      await asked;
      const response = waiting.pop();
      if (response === undefined) throw new Error("nobody waits");
      return { call, response };
    };
    const overtaken = await begin();
    const repeat = await begin();
    repeat.response.end(samlMetadata(`https://sp.example.com/${lane}`));
    const done = await repeat.call;
    expect(endingOf(done)).toBe("answered");
    overtaken.response.end("no metadata");
    const answered = await overtaken.call;
    expect(endingOf(answered)).toBe("replayed true");
    expect(answerIn(answered)).toEqual(answerIn(done));
  },
);
