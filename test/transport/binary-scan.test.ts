import { expect, test } from "@jest/globals";
import { create, toBinary } from "@bufbuild/protobuf";
import { BulkAddProjectRolesRequestSchema } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { VerifyU2fRequestSchema } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { refuseManyValues } from "../../src/transport/binary-scan.ts";

const roles = (count: number) => {
  const bytes = new Uint8Array(2 * count);
  for (let at = 0; at < bytes.length; at += 2) bytes[at] = 0x12; // field 2, an empty message
  return bytes;
};

const credential = (count: number) => {
  const publicKeyCredential = { a: Array.from({ length: count }, () => 0) };
  return toBinary(VerifyU2fRequestSchema, create(VerifyU2fRequestSchema, { publicKeyCredential }));
};

test("refuses a list of millions before anything is made of it", () => {
  expect(() => refuseManyValues(BulkAddProjectRolesRequestSchema, roles(4_000_000))).toThrow(
    "more than 1200000 fields",
  );
  expect(() => refuseManyValues(BulkAddProjectRolesRequestSchema, roles(1_000_000))).not.toThrow();
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
