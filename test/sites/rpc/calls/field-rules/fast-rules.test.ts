import { expect, test } from "@jest/globals";
import { create, createRegistry, type DescField, type DescMessage, type Message } from "@bufbuild/protobuf";
import { ScalarType } from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { createValidator } from "@bufbuild/protovalidate";
import * as fc from "fast-check";
import { WriteRequestSchema } from "../../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { GetProjectRequestSchema } from "../../../../../gen/gatehouse/v1/project_service_pb.ts";
import { AddUserGrantRequestSchema } from "../../../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { AddHumanUserRequestSchema } from "../../../../../gen/gatehouse/v1/user_service_pb.ts";
import { createFastRules } from "../../../../../src/sites/rpc/calls/field-rules/fast-rules.ts";
import { filesOf } from "../../../../../src/sites/rpc/calls/field-rules/proto-files.ts";
import { listMethods } from "../../../../support/methods.ts";

const matches = (pattern: string, against: string) => new RegExp(pattern, "u").test(against);
const types = (await listMethods()).map(({ input }) => input);
const validator = createValidator({ registry: createRegistry(...filesOf(types)), regexMatch: matches });
const keepsFastRules = createFastRules(matches);

// Around the bounds that the protos have, in characters of one unit and of two.
const lengths = [0, 0, 1, 1, 2, 63, 64, 65, 199, 200, 201, 255, 256, 400, 401, 2048, 2049];
const run = fc
  .tuple(fc.constantFrom(...lengths), fc.constantFrom("a", "7", "é", "\u{1F600}", " ", "\t", ".", "\u0085"))
  .map(([length, character]) => character.repeat(length));
const address = fc.constantFrom(
  "ada@example.com",
  "a@b-c.example",
  "a@-b.example",
  "a@b..c",
  "ü@b.example",
  "a@b",
);
const text = fc.oneof({ weight: 3, arbitrary: run }, address);

/** Returns messages of the type that have every kind of fault, and none; some have few of their fields. */
function messagesOf(desc: DescMessage, depth = 0): fc.Arbitrary<Message> {
  const few = fc.subarray(desc.fields, { maxLength: Math.min(2, desc.fields.length) });
  return fc.oneof(few, fc.constant(desc.fields)).chain((fields) => messagesWith(desc, fields, depth));
}

function messagesWith(desc: DescMessage, fields: readonly DescField[], depth: number): fc.Arbitrary<Message> {
  const settings = fields.map((field) =>
    fc.option(valueOf(field, depth), { nil: undefined, freq: 4 }).map((value) => ({ field, value })),
  );
  return fc.tuple(...settings).map((all) => {
    const message = create(desc);
    const whole = reflect(desc, message);
    for (const { field, value } of all) {
      if (value === undefined) continue;
      if (field.fieldKind === "list") for (const entry of value as unknown[]) whole.get(field).add(entry);
      else if (field.fieldKind === "message") whole.set(field, reflect(field.message, value as Message));
      else whole.set(field, value);
    }
    return message;
  });
}

function valueOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.fieldKind === "list") {
    const one =
      field.listKind === "message"
        ? messagesOf(field.message, depth + 1).map((message) => reflect(field.message, message))
        : singleOf(field, depth);
    const few = fc.array(one, { maxLength: 3 });
    return field.listKind === "message"
      ? few
      : fc.oneof(
          few,
          one.map((value) => Array.from({ length: 1001 }, () => value)),
        );
  }
  return singleOf(field, depth);
}

function singleOf(field: DescField, depth: number): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) return fc.constantFrom(0, 1, 99);
  if (field.message !== undefined) {
    const isOurs = field.message.typeName.startsWith("gatehouse.") && depth < 3;
    return isOurs ? messagesOf(field.message, depth + 1) : fc.constant(create(field.message));
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.constantFrom(new Uint8Array(0), new Uint8Array(3), new Uint8Array(500_001));
    case ScalarType.UINT64:
      return fc.constantFrom(0n, 5n);
    default:
      return fc.constantFrom(0, 5);
  }
}

test.each(types.map((type) => [type.name, type] as const))(
  "a %s that keeps the plain rules breaks none",
  (_name, type) => {
    const arbitrary = messagesOf(type);
    const sample = fc.sample(arbitrary, type === WriteRequestSchema ? 60 : 150);
    const kept = sample.filter((message) => keepsFastRules(type, message));
    const broken = kept.flatMap((message) => validator.validate(type, message).violations ?? []);
    expect(broken.map(({ ruleId }) => ruleId).slice(0, 5)).toEqual([]);
  },
);

test("what most requests have is told by them", () => {
  const ids = { userId: "117688623957014149", projectId: "117688623957014150" };
  const grant = create(AddUserGrantRequestSchema, { ...ids, roleKeys: ["reader", "seller"] });
  expect(keepsFastRules(AddUserGrantRequestSchema, grant)).toBe(true);
  const items = [{ bulkId: "g", request: { case: "addUserGrant" as const, value: grant } }];
  expect(keepsFastRules(WriteRequestSchema, create(WriteRequestSchema, { items }))).toBe(true);
  const user = { username: "ada", givenName: "Ada", familyName: "Lovelace", email: "ada@example.com" };
  const adding = (email: string) => create(AddHumanUserRequestSchema, { ...user, email });
  expect(keepsFastRules(AddHumanUserRequestSchema, adding(user.email))).toBe(true);
  for (const length of [63, 64])
    expect(validator.validate(AddHumanUserRequestSchema, adding(`a@${"b".repeat(length)}`)).kind).toBe(
      length > 63 ? "invalid" : "valid",
    );
  expect(keepsFastRules(AddHumanUserRequestSchema, adding(`a@${"b".repeat(64)}`))).toBe(false);
  const project = create(GetProjectRequestSchema, { id: ids.projectId });
  expect(keepsFastRules(GetProjectRequestSchema, project)).toBe(true);
});
