import { expect, test } from "@jest/globals";
import { create, type DescMessage, toBinary } from "@bufbuild/protobuf";
import { BulkAddProjectRolesRequestSchema } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { VerifyU2fRequestSchema } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { refuseManyValues } from "../../src/transport/binary-scan.ts";
import { parseJsonBody } from "../../src/transport/json/codec.ts";

const roles = (count: number) => {
  const bytes = new Uint8Array(2 * count);
  for (let at = 0; at < bytes.length; at += 2) bytes[at] = 0x12; // field 2, an empty message
  return bytes;
};

const credential = (count: number) => {
  const publicKeyCredential = { a: Array.from({ length: count }, () => 0) };
  return toBinary(VerifyU2fRequestSchema, create(VerifyU2fRequestSchema, { publicKeyCredential }));
};

test("refuses a list of more than 20,000 entries before anything is made of it", () => {
  const scan = (count: number) => () => refuseManyValues(BulkAddProjectRolesRequestSchema, roles(count));
  expect(scan(20_000)).not.toThrow();
  expect(scan(20_001)).toThrow("more than 20000 fields");
  expect(scan(4_000_000)).toThrow("more than 20000 fields");
});

test("JSON has the same bound, and the large one only where a message holds free-form JSON", () => {
  const parse = (schema: DescMessage, count: number) => () =>
    parseJsonBody(schema, Buffer.from(`{"roles":[${"{},".repeat(count - 1)}{}]}`));
  expect(parse(BulkAddProjectRolesRequestSchema, 9998)).not.toThrow();
  expect(parse(BulkAddProjectRolesRequestSchema, 10_000)).toThrow("more than 20000 values");
  expect(parse(VerifyU2fRequestSchema, 299_998)).not.toThrow();
  expect(parse(VerifyU2fRequestSchema, 300_001)).toThrow("more than 600000 values");
});

test("counts what is inside of structures and maps", () => {
  expect(() => refuseManyValues(VerifyU2fRequestSchema, credential(650_000))).toThrow(
    "more than 1200000 fields",
  );
  expect(() => refuseManyValues(VerifyU2fRequestSchema, credential(525_000))).not.toThrow();
});

test("leaves malformed bytes to the decoder", () => {
  expect(() => refuseManyValues(VerifyU2fRequestSchema, new Uint8Array(700_000).fill(0xff))).not.toThrow();
});
