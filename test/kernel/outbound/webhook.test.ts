import { createHmac } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { systemRandom } from "../../../src/kernel/base/random.ts";
import { createWebhook } from "../../../src/kernel/outbound/webhook.ts";
import { toStandardWebhookHeaders } from "../../../src/kernel/outbound/standard-webhook.ts";
import { createTestClock } from "../../support/clock.ts";
import { startHttp, startReceiver, useServers } from "./loopback-server.ts";

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Answer = (response: ServerResponse) => void;

const message = { to: "+41791234567", text: "code 12345678 für Zoë" };
const use = useServers();
/** Starts a receiver that gives these answers, then the last one again and again. */
async function startWebhook(answers: readonly Answer[], timeoutMs = 5000) {
  const received: Received[] = [];
  const pauses: number[] = [];
  const clock = createTestClock(1_780_000_000_900);
  const server = await startReceiver(({ method, url, headers }, body, response) => {
    received.push({ method, url, headers, body });
    answers[Math.min(received.length, answers.length) - 1]?.(response);
  });
  use(server);
  const { send } = createWebhook({
    name: "the SMS webhook",
    url: `http://127.0.0.1:${server.port}/sms?key=hidden`,
    secret: new Secret("shared"),
    clock,
    random: systemRandom,
    timeoutMs,
    sleep: async (ms) => {
      pauses.push(ms);
      clock.turn(ms);
    },
  });
  return { received, pauses, send };
}

function status(code: number): Answer {
  return (response) => {
    response.writeHead(code, { location: "/elsewhere" }).end("+41791234567 code 12345678");
  };
}

describe("a webhook", () => {
  test("receives the message as JSON, signed with the shared secret", async () => {
    const { received, send } = await startWebhook([status(204)]);
    await send(message);
    const body = '{"to":"+41791234567","text":"code 12345678 für Zoë","date":"2026-05-28T20:26:40.900Z"}';
    const mac = createHmac("sha256", "shared").update(`1780000000.${body}`).digest("hex");
    expect(received).toMatchObject([
      {
        method: "POST",
        url: "/sms?key=hidden",
        headers: { "content-type": "application/json", "x-gatehouse-signature": `t=1780000000,v1=${mac}` },
        body,
      },
    ]);
  });

  test("receives the headers of Standard Webhooks besides, with an id that all attempts share", async () => {
    const { received, send } = await startWebhook([status(500), status(200)]);
    await send(message);
    await send(message);
    const secrets = [new Secret("shared")];
    const ids = received.map(({ headers }) => String(headers["webhook-id"]));
    expect(ids).toEqual([ids[0], ids[0], expect.not.stringMatching(`^${ids[0]}$`)]);
    for (const { headers, body } of received) {
      const nowMs = Number(headers["webhook-timestamp"]) * 1000;
      const id = String(headers["webhook-id"]);
      expect(headers).toMatchObject(toStandardWebhookHeaders({ id, nowMs, body, secrets }));
    }
    expect(received.map(({ headers }) => headers["webhook-timestamp"])).toEqual([
      "1780000000",
      "1780000001",
      "1780000001",
    ]);
  });

  test.each([200, 201, 202, 204, 299])("has taken the message with status %d", async (code) => {
    const { received, pauses, send } = await startWebhook([status(code)]);
    await send(message);
    expect([received.length, pauses]).toEqual([1, []]);
  });

  test.each([300, 302, 307, 400, 401, 404, 410, 422])("is not asked again after status %d", async (code) => {
    const { received, send } = await startWebhook([status(code)]);
    await expect(send(message)).rejects.toThrow(new Error(`the SMS webhook answered with status ${code}`));
    expect(received).toHaveLength(1);
  });

  test.each<[string, Answer, string, number]>([
    ["status 429", status(429), "answered with status 429", 5000],
    ["status 500", status(500), "answered with status 500", 5000],
    ["status 503", status(503), "answered with status 503", 5000],
    ["no answer", () => undefined, "gave no answer (TimeoutError)", 100],
    ["an answer cut off", (response) => response.destroy(), "gave no answer (UND_ERR_SOCKET)", 5000],
  ])("is asked three times, with growing pauses, after %s", async (_name, answer, words, timeoutMs) => {
    const { received, pauses, send } = await startWebhook([answer], timeoutMs);
    await expect(send(message)).rejects.toThrow(new Error(`the SMS webhook ${words}`));
    expect(received).toHaveLength(3);
    expect(pauses).toEqual([500, 2000]);
  });

  test("gets the same message again, signed anew", async () => {
    const { received, send } = await startWebhook([status(500), status(503), status(200)]);
    await send(message);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const seconds = received.map(({ headers }) => String(headers["x-gatehouse-signature"]).split(",")[0]);
    expect(seconds).toEqual(["t=1780000000", "t=1780000001", "t=1780000003"]);
  });

  test("has taken the message when the rest of its answer is missing", async () => {
    const { received, send } = await startWebhook([
      (response) => {
        response.writeHead(200, { "content-length": 100 });
        response.write("x");
        setTimeout(() => response.destroy(), 10);
      },
    ]);
    await send(message);
    expect(received).toHaveLength(1);
  });

  test("tells neither text, number, secret nor URL in its errors", async () => {
    const closed = await startHttp(() => undefined);
    await closed.close();
    const { send } = createWebhook({
      name: "the SMS webhook",
      url: `http://127.0.0.1:${closed.port}/sms?key=hidden`,
      secret: new Secret("shared"),
      clock: createTestClock(),
      random: systemRandom,
      sleep: async () => undefined,
    });
    const errors = [
      await send(message).catch((error: unknown) => error),
      await (await startWebhook([status(400)])).send(message).catch((error: unknown) => error),
    ];
    expect(errors.map(String)).toEqual([
      "Error: the SMS webhook gave no answer (ECONNREFUSED)",
      "Error: the SMS webhook answered with status 400",
    ]);
    expect(inspect(errors, { depth: null, showHidden: true })).not.toMatch(/4179|12345678|shared|hidden/);
  });

  test.each(["", "hook.example", "ftp://hook.example/", "https://user:hidden@hook.example/"])(
    "must have a URL without user info: %p",
    (url) => {
      const create = () =>
        createWebhook({
          name: "the SMS webhook",
          url,
          secret: new Secret("shared"),
          clock: createTestClock(),
          random: systemRandom,
        });
      expect(create).toThrow(/^the URL of the SMS webhook must (?!.*hidden)/);
    },
  );
});

describe("the headers of Standard Webhooks", () => {
  const id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  const body = '{"test": 2432232314}';
  const sign = (...secrets: readonly string[]) =>
    toStandardWebhookHeaders({
      id,
      nowMs: 1_614_265_330_999,
      body,
      secrets: secrets.map((secret) => new Secret(secret)),
    });

  // https://github.com/standard-webhooks/standard-webhooks, libraries/javascript/src/index.test.ts
  test("are those of its own libraries", () => {
    expect(sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).toEqual({
      "webhook-id": id,
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  test("have a signature for each of two secrets, after one space; a secret without the prefix is the key itself", () => {
    const [first, second] = ["c2hhcmVk", "bmV3"].map(
      (key) => sign(`whsec_${key}`)["webhook-signature"] ?? "",
    );
    expect(sign("shared", "new")["webhook-signature"]).toBe(`${first} ${second}`);
  });
});
