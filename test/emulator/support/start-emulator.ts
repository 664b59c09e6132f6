import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import pino from "pino";
import { startApp } from "../../../src/app/app.ts";
import { parseEmulatorConfig } from "../../../src/config/emulator.ts";
import { createEmulator } from "../../../src/emulator/emulation.ts";
import { createLaneClient, type Lane, type LaneClient, lanes } from "../../support/clients.ts";
import { createHttpClient, type HttpClient } from "../../support/http-client.ts";
import { testPasswordCost } from "../../support/password-cost.ts";
import { answerOf } from "../../support/service.ts";

/** An emulator in this process, on a real port. */
export interface TestEmulator {
  readonly url: string;
  readonly port: number;
  readonly token: string;
  readonly clients: Readonly<Record<Lane, LaneClient>>;
  readonly http: HttpClient;
  /** Calls with the token over JSON, and returns the answer. Throws for an error. */
  call<M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>): Promise<JsonObject>;
  stop(): Promise<void>;
}

/** What it is started with: the token as the environment has it, and the text of a seed. Absent: there is none. */
export interface EmulatorStart {
  readonly givenToken?: string;
  readonly seed?: string;
}

/** Starts an emulator. */
export async function startEmulator({ givenToken, seed }: EmulatorStart = {}): Promise<TestEmulator> {
  const environment = givenToken === undefined ? {} : { GATEHOUSE_EMULATOR_TOKEN: givenToken };
  const { config, token: given } = parseEmulatorConfig({ listen: "127.0.0.1:0" }, environment);
  const emulator = createEmulator(given);
  const app = await startApp(config, {
    logger: pino({ level: "silent" }),
    version: "0.0.0-test",
    clock: emulator.clock,
    passwordCost: testPasswordCost,
    emulation: emulator.emulation,
    onFatal: (error) => {
      throw error;
    },
  });
  try {
    if (seed !== undefined) await emulator.seed(app.url, { file: "seed.yaml", content: seed });
  } catch (error) {
    await app.stop();
    throw error;
  }
  await emulator.mark();
  const token = emulator.token().reveal();
  const url = `http://localhost:${app.port}`;
  const clients = Object.fromEntries(lanes.map((lane) => [lane, createLaneClient(lane, app.url)])) as Record<
    Lane,
    LaneClient
  >; // one for each lane
  const http = createHttpClient(app.url);
  return {
    url,
    port: app.port,
    token,
    clients,
    http,
    call: async (method, request) => answerOf(await clients.json.call(method, request, { token })),
    async stop() {
      for (const client of [...Object.values(clients), http]) client.close();
      await app.stop();
    },
  };
}
