import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { text as readText } from "node:stream/consumers";
import type { JsonObject } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { lanes, type Outcome } from "../support/clients.ts";
import { parseLog, type ServingProcess } from "../support/process.ts";
import { idOf, nextPhone } from "../support/world.ts";
import { openConnection } from "./support/connection.ts";
import { type ConnectedService, type Place, usePlaces } from "./support/place.ts";
import { dump } from "./support/tables.ts";

const createPlace = usePlaces();

const clientSecret = "canary-client-secret-5f0c1e";
/** Each would break a log line, a table or a page if it were pasted somewhere. */
const person = {
  username: "canary-username\u2028\u2029\\n\"'<b>%0a{}",
  givenName: "Canary-Given\u2028",
  familyName: "Canary-Family",
  displayName: "Canary \u2028yalpsid",
  preferredLanguage: "canary-language",
  email: "canary-mail@example.com",
};

/** Returns each value in the forms in which it could lie somewhere by mistake. */
function formsOf(value: string): readonly Buffer[] {
  const bytes = Buffer.from(value);
  return [
    bytes,
    Buffer.from(bytes.toString("base64").replace(/=+$/, "")),
    Buffer.from(bytes.toString("base64url")),
    Buffer.from(bytes.toString("hex")),
    Buffer.from(JSON.stringify(value).slice(1, -1)),
    Buffer.from(encodeURIComponent(value)),
  ];
}

/** Returns those of the values that are in the text or bytes in some form. */
function foundIn(haystack: string | Buffer, values: readonly string[]): readonly string[] {
  const bytes = Buffer.from(haystack);
  return values.filter((value) => formsOf(value).some((form) => bytes.includes(form)));
}

describe("with --log-level debug, after calls of every kind that succeed and fail", () => {
  let place: Place;
  let serving: ServingProcess;
  let userId: string;
  let metrics: string;
  /** Every error as its caller got it: headers, trailers and body. */
  const errors: string[] = [];
  const codes: string[] = [];
  const tokens: string[] = [];
  const phone = nextPhone();
  const otherPhone = nextPhone();
  let masterKey: string;

  const keep = (outcome: Outcome): void => {
    if (outcome.kind === "answer") throw new Error(`expected an error: ${JSON.stringify(outcome.json)}`);
    errors.push(JSON.stringify([outcome.status, [...outcome.headers]]));
  };
  const keepResponse = async (response: Response): Promise<void> => {
    if (response.ok) throw new Error(`expected an error: ${await response.text()}`);
    errors.push(JSON.stringify([...response.headers]) + (await response.text()));
  };

  beforeAll(async () => {
    place = createPlace();
    serving = await place.serve(["--log-level", "debug"]);
    const service = place.connect(serving);
    masterKey = readFileSync(place.file("master.key"), "utf8").trim().split(" ")[1] ?? "";
    tokens.push(service.adminToken);
    userId = idOf(await service.call(UserService.method.addHumanUser, person), "userId");
    await succeed(service);
    codes.push(...(await readOutbox(place)));
    for (const lane of lanes) await fail(service, lane);
    await failInJson(service.url, service.adminToken);
    await failBelowHttp(service.url, service.adminToken);
    metrics = await (await fetch(`${service.url}/metrics`)).text();
  });

  async function succeed(service: ConnectedService): Promise<void> {
    const oidc = { name: "P", clientId: "c", clientSecret, issuer: "https://idp.example.com" };
    await service.call(IdentityProviderService.method.addOidcIdentityProvider, oidc);
    const made = await service.call(UserService.method.addPersonalAccessToken, { userId });
    tokens.push(idOf(made, "token"));
    const setPhone = UserService.method.setPhone;
    await service.call(setPhone, { userId, phone, verification: { case: "sendCode", value: {} } });
    const returned = await service.call(setPhone, {
      userId,
      phone: otherPhone,
      verification: { case: "returnCode", value: {} },
    });
    codes.push(idOf(returned, "verificationCode"));
    const u2f = await service.call(UserService.method.registerU2f, { userId });
    tokens.push(challengeOf(u2f));
  }

  async function fail(service: ConnectedService, lane: (typeof lanes)[number]): Promise<void> {
    const client = service.clients[lane];
    const as = { token: service.adminToken };
    const { addOidcIdentityProvider } = IdentityProviderService.method;
    const oidc = { name: "P", clientId: "c", clientSecret, issuer: "https://idp.example.com" };
    keep(await client.call(addOidcIdentityProvider, oidc, as)); // the name is taken
    keep(await client.call(addOidcIdentityProvider, { ...oidc, clientSecret: clientSecret.repeat(20) }, as));
    keep(await client.call(addOidcIdentityProvider, { ...oidc, issuer: "no URL" }, as));
    keep(await client.call(UserService.method.addHumanUser, { ...person, email: "no mail" }, as));
    for (const code of [...codes.slice(-1), `${codes[0]}0000000000000000`]) {
      keep(await client.call(UserService.method.verifyPhone, { userId, verificationCode: code }, as));
    }
    const [token = ""] = tokens.slice(-2);
    for (const wrong of [token.slice(0, -1), `${token}x`, `x ${token}`, token.toUpperCase()])
      keep(await client.call(ProjectService.method.listProjects, {}, { token: wrong }));
    const headers = { authorization: `Basic ${token}` };
    keep(await client.call(ProjectService.method.listProjects, {}, { headers }));
    const pageToken = `${token}${masterKey}`;
    keep(await client.call(ProjectService.method.listProjects, { pageToken }, as));
    const credential: JsonObject = {
      id: token,
      rawId: token,
      type: token,
      response: { clientDataJSON: token },
    };
    const verify = { userId, u2fId: "1", publicKeyCredential: credential, tokenName: "n" };
    keep(await client.call(UserService.method.verifyU2f, verify, as));
  }

  /** Puts secrets where they do not belong, in JSON that cannot be read. */
  async function failInJson(url: string, token: string): Promise<void> {
    const [code = ""] = codes;
    const bodies: readonly [string, string][] = [
      ["/v1/idps/oidc", `{"name":"P","clientSecret":["${clientSecret}"]}`],
      ["/v1/idps/oidc", `{"name":"P","clientSecret":{"${clientSecret}":1}}`],
      ["/v1/idps/oidc", `{"name":"P","clientSecret":"${clientSecret}"`],
      ["/v1/idps/oidc", `{"name":"P","clientSecret":"${clientSecret}",}`],
      ["/v1/idps/oidc", `{"name":"P","clientSecret":"${clientSecret}","autoRegister":"${clientSecret}"}`],
      ["/v1/idps/oidc", `{"name":"P","clientSecret":"${clientSecret}","stylingType":"${clientSecret}"}`],
      ["/v1/idps/oidc", `"${clientSecret}"`],
      [`/v1/users/${userId}/phone/verify`, `{"verificationCode":${code}}`],
      [`/v1/users/${userId}/phone/verify`, `{"verificationCode":"${code}","userId":"other"}`],
      [`/v1/users/${userId}/pats`, `{"expirationDate":"${token}"}`],
      ["/v1/projects", `{"name":"n","hasProjectCheck":"${token}"}`],
    ];
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    for (const [path, body] of bodies)
      await keepResponse(await fetch(url + path, { method: "POST", headers, body }));
    await keepResponse(await fetch(`${url}/v1/projects?access_token=${token}`));
    await keepResponse(await fetch(`${url}/v1/users/me`, { headers: { cookie: token, "x-token": token } }));
    await keepResponse(await fetch(`${url}/%0a{"msg":"forged"}%0d%0a`, { headers }));
  }

  /** Sends what no client sends. */
  async function failBelowHttp(url: string, token: string): Promise<void> {
    for (const request of [
      `GET /v1/users/me HTTP/1.1\r\nhost: ${token}\u2028\r\nauthorization: Bearer ${token}\r\n\r\n`,
      `GET /${token} HTTP/9.9\r\nhost: a\r\nauthorization: Bearer ${token}\r\n\r\n`,
      `POST /v1/projects HTTP/1.1\r\nhost: a\r\nauthorization: Bearer\n ${token}\r\nbad\r\n\r\n${clientSecret}`,
    ]) {
      const connection = await openConnection(url);
      connection.send(request);
      await connection.until(/\r\n\r\n\{.*\}$/s);
      connection.socket.destroy();
      errors.push(await connection.closed);
    }
  }

  const secrets = () => [clientSecret, ...tokens, ...codes, masterKey];
  const personal = () => [...Object.values(person), phone, otherPhone];

  test("the calls were made as meant", () => {
    expect(new Set(codes).size).toBe(2);
    expect(codes.every((code) => /^\d{8}$/.test(code))).toBe(true);
    expect(tokens).toHaveLength(3);
    expect(errors.length).toBeGreaterThan(60);
    expect(parseLog(serving.stderr()).filter(({ msg }) => msg === "call.done").length).toBeGreaterThan(60);
  });

  test("calls of every content type are in the log and in the metrics", () => {
    const logged = new Set(parseLog(serving.stderr()).map(({ lane }) => lane));
    for (const lane of ["json", "grpc", "grpc-web"]) {
      expect(logged).toContain(lane);
      expect(metrics).toContain(
        `gatehouse_calls_total{method="gatehouse.v1.UserService/VerifyPhone",lane="${lane}"`,
      );
    }
  });

  test("no secret and no personal data is in the log", () => {
    expect(foundIn(serving.stderr(), [...secrets(), ...personal()])).toEqual([]);
  });

  test("every line of the log is one JSON object of the service's own making", () => {
    const lines = serving
      .stderr()
      .trimEnd()
      .split(/[\n\r\u0085\u2028\u2029]/);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ time: expect.any(String) });
    expect(serving.stderr()).not.toContain("forged");
  });

  test("no error says a secret", () => {
    for (const error of errors) expect([error, foundIn(error, secrets())]).toEqual([error, []]);
  });

  test("no metric says a secret or personal data", () => {
    expect(metrics).toContain("gatehouse_calls_total");
    expect(foundIn(metrics, [...secrets(), ...personal()])).toEqual([]);
  });

  test("no file of the database holds a secret in clear, nor what the keys are made of", async () => {
    const expectNone = () => {
      const rawKey = Buffer.from(masterKey, "base64");
      for (const name of readdirSync(place.path).filter((file) => file.startsWith("gatehouse."))) {
        const bytes = withoutIds(readFileSync(place.file(name)), idsOf(place));
        expect([name, foundIn(bytes, secrets()), bytes.includes(rawKey)]).toEqual([name, [], false]);
      }
    };
    expect(await serving.stop()).toBe(0);
    expectNone();
    const again = await place.serve(["--log-level", "debug"]);
    await place.connect(again).call(UserService.method.addPersonalAccessToken, { userId });
    await again.kill();
    expect(readdirSync(place.path)).toContain("gatehouse.db-wal");
    expectNone();
  });

  test("the events hold no personal data in clear, and no address of a caller", () => {
    const { events = [] } = dump(place.file("gatehouse.db"), ["events"]);
    const cells = events.flatMap((row) => Object.values(row));
    const texts = cells.map((cell) => (Buffer.isBuffer(cell) ? cell : Buffer.from(String(cell))));
    const all = [...personal(), "Administrator", "127.0.0.1"];
    expect(texts.filter((cell) => foundIn(cell, all).length > 0)).toEqual([]);
    // The test would see them: organizations are not persons, and their names are in clear.
    expect(foundIn(Buffer.concat(texts), ["Default", "https://idp.example.com"])).toHaveLength(2);
  });
});

describe("a provider that echoes what it refuses", () => {
  const bodies: string[] = [];
  let provider: Server;

  beforeAll(async () => {
    provider = createServer((request, response) => {
      void readText(request).then((body) => {
        bodies.push(body);
        response.writeHead(400).end(body + JSON.stringify(request.headers));
      });
    }).listen(0, "127.0.0.1");
    await once(provider, "listening");
  });

  afterAll(() => {
    provider.close();
  });

  test("does not get code, number or key into the log", async () => {
    const { port } = provider.address() as AddressInfo; // it listens on TCP
    const place = createPlace();
    const serving = await place.serve(
      ["--log-level", "debug", "--sms-provider", "webhook", "--sms-webhook-url", `http://127.0.0.1:${port}`],
      { GATEHOUSE_SMS_WEBHOOK_SECRET: "canary-webhook-secret" },
    );
    const service = place.connect(serving);
    const phone = nextPhone();
    const userId = idOf(await service.call(UserService.method.addHumanUser, person), "userId");
    const verification = { case: "sendCode" as const, value: {} };
    await service.call(UserService.method.setPhone, { userId, phone, verification });
    expect(await serving.logged("sms.not_delivered")).toMatchObject({ user_id: userId });
    const [code = ""] = codesIn(bodies.join());
    expect(code).toMatch(/^\d{8}$/);
    expect(foundIn(serving.stderr(), [code, phone, phone.slice(1), "canary"])).toEqual([]);
    await serving.kill();
  });
});

/** Returns the codes that were sent, once there is one: the call that sends it does not wait. */
async function readOutbox(place: Place): Promise<readonly string[]> {
  const file = place.file("sms.jsonl");
  while (!existsSync(file) || !readFileSync(file, "utf8").endsWith("\n")) await pause(5);
  return codesIn(readFileSync(file, "utf8"));
}

function codesIn(messages: string): readonly string[] {
  return [...messages.matchAll(/(?<!\d)\d{8}(?!\d)/g)].map(([code]) => code);
}

function challengeOf(registered: JsonObject): string {
  const options = registered["publicKeyCredentialCreationOptions"] as { publicKey: { challenge: string } };
  return options.publicKey.challenge;
}

/** The ids in the database: their 19 digits may hold the 8 of a code by chance. */
function idsOf(place: Place): readonly string[] {
  const all = JSON.stringify(dump(place.file("gatehouse.db")));
  return [...new Set([...all.matchAll(/\d{15,19}/g)].map(([id]) => id))];
}

function withoutIds(bytes: Buffer, ids: readonly string[]): Buffer {
  let rest = bytes.toString("latin1");
  for (const id of ids) rest = rest.replaceAll(id, "");
  return Buffer.from(rest, "latin1");
}
