import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import {
  create,
  type DescField,
  type DescMessage,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { WriteRequestSchema } from "../../../gen/gatehouse/v1/batch_service_pb.ts";
import { createFieldRules } from "../../../src/sites/rpc/calls/field-rules/field-rules.ts";
import { messageFromJson } from "../../../src/sites/rpc/lanes/json/codec.ts";
import { send, summary } from "../../kernel/http/support/http.ts";
import { listServices } from "../../support/methods.ts";
import { startTestServer, type TestServer } from "./support/server.ts";
import { largeTest } from "../../support/large.ts";

// What protobuf JSON lets clients write in more than one form (https://protobuf.dev/programming-guides/json/), for every request.

let server: TestServer;
let echo: string;
beforeAll(async () => {
  server = await startTestServer();
  server.answers.set("echo", (_call, request) => request);
  server.answers.set("query", (_call, request) => request);
  echo = `${server.url}/v1/kinds`;
});
afterAll(() => server.stop());

const tooLarge = { status: 400, code: 3, reason: "INVALID_REQUEST", fields: ["large_number"] };

const requests = (await listServices()).flatMap(({ methods }) => methods.map(({ input }) => input));
const fieldRules = createFieldRules(requests);

const nulls = ({ fields }: Pick<DescMessage, "fields">): JsonObject =>
  Object.fromEntries(fields.map(({ jsonName }) => [jsonName, null]));

/** A value of the field that says that it is there. */
/** Of messages whose JSON is no object of their fields. */
const samples: Readonly<Record<string, JsonValue>> = {
  "google.protobuf.Struct": {},
  "google.protobuf.Timestamp": "2026-01-31T12:00:00Z",
};

function valueOf({ fieldKind, message, enum: names, scalar }: DescField) {
  if (fieldKind === "message") return samples[message.typeName] ?? nulls(message);
  return scalar === undefined ? names?.values[1]?.name : undefined;
}

describe("a JSON body", () => {
  test.each([
    ["2e0", 2],
    ["2.0", 2],
    ["1e5", 100_000],
    ["1E+5", 100_000],
    ["12000e-3", 12],
    ["0.5e1", 5],
    ["-1.50e2", -150],
    ["-0", 0],
    ["-0.0e5", 0],
    ["0e400", 0],
    ["0e-99999999999999999999", 0],
    ["007", 7],
  ])("takes the integer %s as a text wherever integers are (ProtoJSON)", async (text, value) => {
    const json = {
      small: text,
      largeNumber: text,
      numbers: [text, 1],
      smallNumbers: [text],
      amounts: { a: text },
      wrappedNumber: text,
    };
    const taken = {
      small: value,
      largeNumber: String(value),
      numbers: [String(value), "1"],
      smallNumbers: [value],
      amounts: { a: value },
      wrappedNumber: String(value),
    };
    expect((await send(echo, { json })).json).toMatchObject(taken);
    const query = `small=${encodeURIComponent(text)}&numbers=${encodeURIComponent(text)}&numbers=1`;
    const { json: queried } = await send(`${server.url}/v1/kinds/x?${query}`);
    expect(queried).toMatchObject({ small: value, numbers: taken.numbers });
  });

  largeTest(
    "takes the bounds of each type in exponent form, and refuses megabytes of digits quickly",
    async () => {
      const json = {
        small: "-2147483.648e3",
        count: "4294967295.000",
        largeNumber: "-9223372036854775.808e3",
        unsignedNumber: "1844674407370955161.5e1",
      };
      expect((await send(echo, { json })).json).toMatchObject({
        small: -2147483648,
        count: 4294967295,
        largeNumber: "-9223372036854775808",
        unsignedNumber: "18446744073709551615",
      });
      const digits = `${"0".repeat(1_000_000)}1`; // as a fraction it is none
      for (const text of [`1${digits}`, `0.${digits}`, `1e${digits}0000`])
        expect(summary(await send(echo, { json: { largeNumber: text } }))).toEqual(tooLarge);
      expect((await send(echo, { json: { largeNumber: `0.${digits}e1000001` } })).json.largeNumber).toBe("1");
    },
  );

  test("takes null for an absent field, also for a message of a oneof of which another member is set", async () => {
    const members: readonly (readonly [JsonObject, JsonObject])[] = [
      [{ middle: { note: "m" }, left: null, right: null }, { middle: { note: "m" } }],
      [{ middle: null, left: "l" }, { left: "l" }],
      [{ left: "l", middle: null, right: null }, { left: "l" }],
      [{ left: null, middle: null, right: null }, {}],
    ];
    for (const [json, taken] of members) {
      const { text, ...answer } = (await send(echo, { json })).json;
      expect([text, { left: answer.left, middle: answer.middle, right: answer.right }]).toEqual([
        "",
        { left: undefined, middle: undefined, right: undefined, ...taken },
      ]);
    }
  });
});

test("null is an absent field of every request, and of every message in one (ProtoJSON)", () => {
  const seen = new Set<DescMessage>();
  const look = (desc: DescMessage): void => {
    if (seen.has(desc) || desc.typeName.startsWith("google.protobuf.")) return;
    seen.add(desc);
    expect([desc.typeName, messageFromJson(desc, nulls(desc))]).toEqual([desc.typeName, create(desc)]);
    for (const { message } of desc.fields) if (message !== undefined) look(message);
  };
  for (const desc of [...requests, WriteRequestSchema]) look(desc);
  expect(seen.size).toBeGreaterThan(requests.length / 2);
});

test("null beside a set member of a oneof leaves that member alone, in every request and in items of a batch", () => {
  const found: string[] = [];
  for (const desc of requests) {
    for (const oneof of desc.oneofs) {
      for (const chosen of oneof.fields) {
        const value = valueOf(chosen);
        if (value === undefined) continue;
        const alone = { [chosen.jsonName]: value };
        const message = messageFromJson(desc, structuredClone({ ...nulls(desc), ...alone }));
        expect(toJson(desc, message)).toEqual(toJson(desc, messageFromJson(desc, structuredClone(alone))));
        expect(toJson(desc, message)).toHaveProperty(chosen.jsonName);
        found.push(`${desc.name}.${chosen.name}`);
      }
    }
  }
  expect(found).toEqual(
    expect.arrayContaining(["SetPhoneRequest.return_code", "CreateIdentityProviderRequest.oidc"]),
  );
  const item = { addProject: { name: "a" }, updateProject: null, addUserGrant: null, bulkId: null };
  const batch = messageFromJson(WriteRequestSchema, { items: [item], allowPartialSuccess: null });
  expect(toJson<DescMessage>(WriteRequestSchema, batch)).toEqual({ items: [{ addProject: { name: "a" } }] });
});

describe("instants", () => {
  const instants = requests.flatMap((desc) =>
    desc.fields
      .filter(({ message }) => message?.typeName === "google.protobuf.Timestamp")
      .map((field) => [`${desc.name}.${field.name}`, desc, field] as const),
  );

  test.each(instants)(
    "%s may be the last one that there is, in the forms in which clients write it",
    (_name, desc, field) => {
      for (const fraction of ["", ".9999999", ".999999999", ".9"]) {
        const message = messageFromJson(desc, { [field.jsonName]: `9999-12-31T23:59:59${fraction}Z` });
        const broken = fieldRules.check(desc, message).map(({ field: name }) => name);
        expect(broken).not.toContain(field.name);
      }
    },
  );

  test("are found", () => expect(instants.length).toBeGreaterThanOrEqual(3));
});
