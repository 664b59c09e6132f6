import { connect } from "node:http2";
import { once } from "node:events";
import { request } from "node:http";
import { afterAll, describe, expect, test } from "@jest/globals";
import { EmulatorService } from "../../gen/gatehouse/emulator/v1/emulator_service_pb.ts";
import { parseEmulatorConfig } from "../../src/config/emulator.ts";
import { refusalOf, startService } from "../support/service.ts";
import { startEmulator } from "./support/start-emulator.ts";

// What a page of elsewhere, in a browser of the machine on which an emulator runs, can make it do: nothing.

const given = "the-token-of-these-tests";
const emulator = await startEmulator({ givenToken: given });
const service = await startService();
afterAll(() => Promise.all([emulator.stop(), service.stop()]));

const { port, clients } = emulator;
const path = "/v1/emulator/clock";

/** Sends a call as a page or a program would, and returns the status. Without a Host it is of HTTP/1.0. */
async function statusOver1(
  headers: Readonly<Record<string, string>>,
  target = path,
): Promise<number | undefined> {
  const sent = request({ host: "127.0.0.1", port, method: "POST", path: target, agent: false });
  const all = {
    host: `localhost:${port}`,
    authorization: `Bearer ${given}`,
    "content-type": "application/json",
  };
  for (const [name, value] of Object.entries({ ...all, ...headers })) sent.setHeader(name, value);
  sent.end("{}");
  const [response] = await once(sent, "response");
  response.resume();
  return response.statusCode;
}

async function statusOver2(headers: Readonly<Record<string, string>>): Promise<number> {
  const session = connect(`http://127.0.0.1:${port}`);
  const stream = session.request({
    ":method": "POST",
    ":path": "/gatehouse.emulator.v1.EmulatorService/AdvanceClock",
    ":authority": `localhost:${port}`,
    authorization: `Bearer ${given}`,
    "content-type": "application/grpc",
    ...headers,
  });
  stream.end(Buffer.alloc(5)); // an empty message
  const [answer] = await once(stream, "response");
  stream.resume();
  session.close();
  return Number(answer[":status"]);
}

describe("the host", () => {
  const local = ["localhost", "LocalHost", "127.0.0.1", "[::1]"].flatMap((host) => [host, `${host}:1`]);
  const foreign = [
    "evil.example",
    "localhost.evil.example",
    "evil-localhost",
    "127.0.0.1.nip.io",
    "127.0.0.2",
    "0.0.0.0",
    "[::]",
    "localhost.",
    "foo.localhost",
    "2130706433",
    "[::ffff:127.0.0.1]",
  ];

  test.each(local)("%s is answered", async (host) => {
    expect([await statusOver1({ host }), await statusOver2({ ":authority": host })]).toEqual([200, 200]);
  });

  test.each(foreign.flatMap((host) => [host, `${host}:8081`]))("%s is refused", async (host) => {
    expect([await statusOver1({ host }), await statusOver2({ ":authority": host })]).toEqual([421, 421]);
  });

  test("of a target in absolute form counts", async () => {
    expect(await statusOver1({}, `http://evil.example${path}`)).toBe(421);
    expect(await statusOver1({}, `http://localhost:${port}${path}`)).toBe(200);
  });
});

describe("the origin", () => {
  const local = ["http://localhost", "http://localhost:3000", "https://127.0.0.1:1", "http://[::1]:5173"];
  const foreign = [
    "http://evil.example",
    "https://localhost.evil.example",
    "http://localhost:3000.evil.example",
    "http://evil.example:3000, http://localhost:3000",
    "null",
    "file://",
    "chrome-extension://localhost",
    "http://localhost:3000/",
    "http://user@localhost",
    "",
  ];

  test.each(local)("%s may call, and read the answer", async (origin) => {
    expect([await statusOver1({ origin }), await statusOver2({ origin })]).toEqual([200, 200]);
    const headers = { origin, "access-control-request-method": "POST", host: `localhost:${port}` };
    const preflight = await emulator.http.send({ method: "OPTIONS", path, headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-origin")).toBe(origin);
    expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  });

  test.each(foreign)("%j is refused, also its preflights", async (origin) => {
    expect([await statusOver1({ origin }), await statusOver2({ origin })]).toEqual([403, 403]);
    const headers = { origin, "access-control-request-method": "POST", host: `localhost:${port}` };
    const preflight = await emulator.http.send({ method: "OPTIONS", path, headers });
    expect(preflight.status).toBe(403);
    expect(preflight.headers.get("access-control-allow-methods")).toBeNull();
  });

  test("of a form of our own pages is hidden, and then the browser says that it is ours", async () => {
    expect(await statusOver1({ origin: "null", "sec-fetch-site": "same-origin" })).toBe(200);
    expect(await statusOver1({ origin: "null", "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await statusOver1({ origin: "null", "sec-fetch-site": "same-site" })).toBe(403);
  });

  test("is not named by pictures, frames and scripts of elsewhere, of which only a visit is answered", async () => {
    const get = async (mode: string, destination: string, site = "cross-site") => {
      const headers = {
        host: `localhost:${port}`,
        "sec-fetch-site": site,
        "sec-fetch-mode": mode,
        "sec-fetch-dest": destination,
      };
      return (await emulator.http.send({ method: "GET", path: "/healthz", headers })).status;
    };
    expect(await get("no-cors", "image")).toBe(403);
    expect(await get("no-cors", "script")).toBe(403);
    expect(await get("cors", "empty")).toBe(403);
    expect(await get("navigate", "iframe")).toBe(403);
    expect(await get("navigate", "document")).toBe(200);
    expect(await get("no-cors", "image", "same-site")).toBe(200);
    expect(await get("navigate", "document", "none")).toBe(200);
  });
});

describe("the token", () => {
  const { advanceClock } = EmulatorService.method;

  test("is the one that was given, and no other", async () => {
    expect((await clients.grpc.call(advanceClock, {}, { token: given })).kind).toBe("answer");
    expect(refusalOf(await clients.grpc.call(advanceClock, {}, { token: `${given}x` })).reason).toBe(
      "TOKEN_INVALID",
    );
    expect(refusalOf(await clients.grpc.call(advanceClock, {})).reason).toBe("TOKEN_MISSING");
  });

  test("has a length that nobody guesses, or is refused", () => {
    for (const token of ["short", "with a space in it, long", "ümlaut-ümlaut-ümlaut"])
      expect(() => parseEmulatorConfig({}, { GATEHOUSE_EMULATOR_TOKEN: token })).toThrow("16 to 200");
  });
});

test("it listens on this machine only, and takes nothing of the environment of a service", () => {
  for (const listen of ["0.0.0.0:8081", "10.0.0.1:8081", "[::]:8081", "127.0.0.2:8081"])
    expect(() => parseEmulatorConfig({ listen }, {})).toThrow("listens on localhost");
  const environment = {
    GATEHOUSE_DATABASE: "postgres://gatehouse@db/gatehouse",
    GATEHOUSE_MASTER_KEY_FILE: "/keys",
    GATEHOUSE_MAIL_PROVIDER: "smtp",
    GATEHOUSE_LISTEN: "0.0.0.0:80",
  };
  expect(parseEmulatorConfig({}, environment).config).toEqual(parseEmulatorConfig({}, {}).config);
});

test("its service is in no other command, and is described as others are where it is", async () => {
  const { advanceClock } = EmulatorService.method;
  const elsewhere = await service.clients.json.call(advanceClock, {}, { token: service.adminToken });
  expect(refusalOf(elsewhere).reason).toBe("ROUTE_NOT_FOUND");
  const readDocument = async ({ http, port: at }: Pick<typeof emulator, "http" | "port">) => {
    const headers = { host: `localhost:${at}` };
    return (await http.send({ method: "GET", path: "/openapi.json", headers })).text;
  };
  expect(await readDocument(emulator)).toContain('"/v1/emulator/sign_in"');
  expect(await readDocument(service)).not.toContain("emulator");
});
