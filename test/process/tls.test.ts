import { beforeAll, describe, expect, test } from "@jest/globals";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import {
  GetMyUserRequestSchema,
  GetMyUserResponseSchema,
  UserService,
} from "../../gen/gatehouse/v1/user_service_pb.ts";
import { parseLog, type ServingProcess } from "../support/process.ts";
import { openConnection } from "./support/connection.ts";
import { type Place, usePlaces } from "./support/place.ts";
import { callSecurely, certificate, fixture } from "./support/secure.ts";

const createPlace = usePlaces();
let place: Place;
let serving: ServingProcess;
let authorization: string;

beforeAll(async () => {
  place = createPlace();
  serving = await place.serve(["--tls-cert", fixture("tls-cert.pem"), "--tls-key", fixture("tls-key.pem")]);
  authorization = `Bearer ${place.adminToken()}`;
});

describe("with a certificate", () => {
  test("the ready line says https", () => {
    expect(serving.stdout()).toMatch(/^gatehouse ready on https:\/\/127\.0\.0\.1:\d+\n$/);
  });

  test("HTTP/1.1 is served", async () => {
    const answer = await callSecurely(`${serving.url}/v1/users/me`, "GET", { authorization });
    expect(answer).toMatchObject({ status: 200, json: { user: { username: "admin" } } });
  });

  test("HTTP/2 is served to who asks for it by ALPN", async () => {
    const session = connectHttp2(serving.url, { ca: certificate });
    const stream = session.request({ ":path": "/v1/users/me", authorization });
    const [headers] = await once(stream, "response");
    expect([session.alpnProtocol, headers[":status"]]).toEqual(["h2", 200]);
    expect(JSON.parse(await text(stream))).toMatchObject({ user: { username: "admin" } });
    session.close();
  });

  test.each([
    [["http/1.1"], "http/1.1"],
    [["h2", "http/1.1"], "h2"],
    [undefined, false],
  ])("ALPN %j is answered with %s", async (protocols, chosen) => {
    const { hostname, port } = new URL(serving.url);
    const socket = connectTls({
      host: hostname,
      port: Number(port),
      ca: certificate,
      ...(protocols === undefined ? {} : { ALPNProtocols: protocols }),
    });
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe(chosen);
    socket.destroy();
  });

  test("gRPC is served", async () => {
    const client = new Client(`localhost:${new URL(serving.url).port}`, credentials.createSsl(certificate));
    const metadata = new Metadata();
    metadata.set("authorization", authorization);
    const answer = await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/${UserService.typeName}/GetMyUser`,
        () => Buffer.from(toBinary(GetMyUserRequestSchema, create(GetMyUserRequestSchema))),
        (bytes: Buffer) => fromBinary(GetMyUserResponseSchema, bytes),
        {},
        metadata,
        (error, value) => (error === null ? resolve(value) : reject(error)),
      );
    });
    expect(answer).toMatchObject({ user: { username: "admin" } });
    client.close();
  });

  test("clear text is not, and harms nobody", async () => {
    const connection = await openConnection(serving.url);
    connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    expect(await connection.closed).not.toContain("HTTP/1.1 200");
    expect((await callSecurely(`${serving.url}/healthz`, "GET", {})).status).toBe(200);
  });

  test("local mode is off: nothing is open by default", async () => {
    expect(parseLog(serving.stderr()).map(({ msg }) => msg)).toEqual(["instance.created", "login.off"]);
    const human = { username: "u", givenName: "A", familyName: "B", email: "a@example.com" };
    const headers = { authorization, "content-type": "application/json" };
    const added = await callSecurely(`${serving.url}/v1/users/human`, "POST", headers, JSON.stringify(human));
    const { userId } = added.json as { userId: string };
    const phone = await callSecurely(
      `${serving.url}/v1/users/${userId}/phone`,
      "POST",
      headers,
      JSON.stringify({ phone: "+41780000001", sendCode: {} }),
    );
    expect(JSON.stringify(phone.json)).toContain("SMS_NOT_CONFIGURED");
    const u2f = await callSecurely(`${serving.url}/v1/users/${userId}/u2f`, "POST", headers, "{}");
    expect(JSON.stringify(u2f.json)).toContain("U2F_NOT_CONFIGURED");
    expect((await callSecurely(`${serving.url}/metrics`, "GET", {})).status).toBe(404);
  });
});
