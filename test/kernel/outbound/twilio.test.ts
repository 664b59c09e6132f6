import { inspect } from "node:util";
import { describe, expect, test } from "@jest/globals";
import { Secret } from "../../../src/kernel/base/secret.ts";
import { createTwilio } from "../../../src/kernel/outbound/twilio.ts";
import { startReceiver, useServers } from "./loopback-server.ts";

const accountSid = `AC${"0".repeat(32)}`;
const message = { to: "+41791234567", text: "code 12345678 & more, für Zoë" };
const use = useServers();
/** Starts something that answers like Twilio. */
async function startTwilio(statusCode: number, body: string, from = "+15005550006") {
  const received: unknown[] = [];
  const pauses: number[] = [];
  const server = await startReceiver(({ method, url, headers }, sent, response) => {
    const { authorization, "content-type": contentType } = headers;
    received.push({
      method,
      url,
      authorization,
      contentType,
      form: Object.fromEntries(new URLSearchParams(sent)),
    });
    response.writeHead(statusCode, { "content-type": "application/json" }).end(body);
  });
  use(server);
  const { send } = createTwilio({
    accountSid,
    authToken: new Secret("token"),
    from,
    baseUrl: `http://127.0.0.1:${server.port}`,
    sleep: async (ms) => {
      pauses.push(ms);
    },
  });
  return { received, pauses, send };
}

describe("Twilio", () => {
  test("receives the message as a form, with the account's credentials", async () => {
    const { received, send } = await startTwilio(201, '{"sid":"SM1","status":"queued","error_code":null}');
    await send(message);
    expect(received).toEqual([
      {
        method: "POST",
        url: `/2010-04-01/Accounts/${accountSid}/Messages.json`,
        authorization: `Basic ${Buffer.from(`${accountSid}:token`).toString("base64")}`,
        contentType: "application/x-www-form-urlencoded",
        form: { To: message.to, From: "+15005550006", Body: message.text },
      },
    ]);
  });

  test("is told the messaging service instead of a number", async () => {
    const service = `MG${"a1".repeat(16)}`;
    const { received, send } = await startTwilio(201, "{}", service);
    await send(message);
    expect(received).toMatchObject([
      { form: { To: message.to, MessagingServiceSid: service, Body: message.text } },
    ]);
    expect(received).not.toMatchObject([{ form: { From: expect.anything() } }]);
  });

  test("says why in a number, and is not asked again", async () => {
    const body = '{"code": 21211, "message": "Invalid \'To\' Phone Number: +41791234567", "status": 400}';
    const { received, pauses, send } = await startTwilio(400, body);
    const error: unknown = await send(message).catch((reason: unknown) => reason);
    expect(String(error)).toBe("Error: Twilio answered with status 400 and error 21211");
    expect(inspect(error, { depth: null, showHidden: true })).not.toMatch(/4179|12345678|token/);
    expect([received.length, pauses]).toEqual([1, []]);
  });

  test.each([
    [401, "", "Twilio answered with status 401"],
    [404, "<html>", "Twilio answered with status 404"],
    [400, '{"code": "21211"}', "Twilio answered with status 400"],
  ])("may say nothing: %d %p", async (statusCode, body, words) => {
    const { send } = await startTwilio(statusCode, body);
    await expect(send(message)).rejects.toThrow(new Error(words));
  });

  test.each([429, 500, 503])(
    "is asked three times, with growing pauses, after status %d",
    async (statusCode) => {
      const { received, pauses, send } = await startTwilio(statusCode, "{}");
      await expect(send(message)).rejects.toThrow(new Error(`Twilio answered with status ${statusCode}`));
      expect([received.length, pauses]).toEqual([3, [500, 2000]]);
    },
  );

  test("is found at its own address by default", async () => {
    const asked: unknown[] = [];
    const { fetch } = globalThis;
    globalThis.fetch = async (url) => {
      asked.push(url);
      return new Response(null, { status: 201 });
    };
    try {
      await createTwilio({ accountSid, authToken: new Secret("token"), from: "+15005550006" }).send(message);
    } finally {
      globalThis.fetch = fetch;
    }
    expect(asked).toEqual([`https://api.twilio.com/2010-04-01/Accounts/${accountSid}/Messages.json`]);
  });
});
