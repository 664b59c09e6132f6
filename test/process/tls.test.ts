import { beforeAll, describe, expect, test } from "@jest/globals";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { Client, credentials, Metadata } from "@grpc/grpc-js";
import {
  GetMyUserRequestSchema,
  GetMyUserResponseSchema,
  UserService,
} from "../../gen/gatehouse/v1/user_service_pb.ts";
import { parseLog, type ServingProcess } from "../support/process.ts";
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
