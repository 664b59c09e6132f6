import { beforeAll, describe, expect, test } from "@jest/globals";
import {
  create,
  createFileRegistry,
  type DescMessage,
  fromBinary,
  type Message,
  toBinary,
} from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from "@bufbuild/protobuf/wkt";
import { WriteRequestSchema } from "../../../../gen/gatehouse/v1/batch_service_pb.ts";
import { BulkAddProjectRolesRequestSchema } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { VerifyU2fRequestSchema } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { HealthCheckRequestSchema } from "../../../../gen/grpc/health/v1/health_pb.ts";
import { ServerReflectionRequestSchema } from "../../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { scanBinary } from "../../../../src/sites/rpc/lanes/binary/scan.ts";
import { mutateBinary } from "../../../hostile/support/mutate-binary.ts";
import { createRandom, readSeed } from "../../../hostile/support/random.ts";
import { listServices } from "../../../support/methods.ts";
import { KindsSchema } from "../support/kinds.ts";
import { randomMessage } from "../support/messages.ts";
import { ScalarsSchema } from "../support/scalars.ts";
import { inWireType, wireFieldsOf, wireTypes } from "../support/wire-fields.ts";

const ours = (await listServices()).flatMap(({ methods }) => methods.map(({ input }) => input));
const requests = [...new Set(ours), HealthCheckRequestSchema, ServerReflectionRequestSchema];
const types = [...requests, ScalarsSchema, KindsSchema];

const isRefused = (desc: DescMessage, bytes: Uint8Array): boolean => {
  try {
    scanBinary(desc, bytes);
    return false;
  } catch (error) {
    if (error instanceof Problem && error.reason === "INVALID_REQUEST") return true;
    throw error;
  }
};
const delimited = WireType.LengthDelimited;
const write = (make: (writer: BinaryWriter) => BinaryWriter) => make(new BinaryWriter()).finish();

describe("a known field", () => {
  test("fits in its own wire type, a list of scalars packed too, and in no other", () => {
    const wrong: string[] = [];
    for (const desc of types)
      for (const field of wireFieldsOf(desc))
        for (const wireType of wireTypes)
          if (isRefused(desc, inWireType(field, wireType)) === field.fitting.includes(wireType))
            wrong.push(`${field.name} in wire type ${wireType}`);
    expect(wrong).toEqual([]);
  });

  test("that does not fit is named, behind others and in a message too", () => {
    const inner = write((writer) =>
      writer.tag(1, delimited).string("reader").tag(2, WireType.Varint).uint32(1),
    );
    const message = write((writer) => writer.tag(1, delimited).string("1").tag(2, delimited).bytes(inner));
    expect(() => scanBinary(BulkAddProjectRolesRequestSchema, message)).toThrow(
      /\.display_name has the wire type 0, not 2$/,
    );
  });
});

describe("what is read by nobody", () => {
  const unknown = (wireType: number) => inWireType({ path: [], number: 5000 }, wireType);
  const empty = HealthCheckRequestSchema;
  const groups = (depth: number) =>
    write((writer) => {
      for (let level = 0; level < depth; level++) writer.tag(5000, WireType.StartGroup);
      for (let level = 0; level < depth; level++) writer.tag(5000, WireType.EndGroup);
      return writer;
    });

  test("passes when it is well-formed, in each wire type", () => {
    for (const wireType of [0, 1, 2, 3, 5]) expect(isRefused(empty, unknown(wireType))).toBe(false);
    expect(isRefused(empty, Buffer.from("f8ff01ffffffffffffffffff01", "hex"))).toBe(false); // a varint of 10 bytes
  });

  test("is refused when it is not", () => {
    const malformed: Readonly<Record<string, string>> = {
      "an end of a group": Buffer.from(unknown(4)).toString("hex"),
      "a group without an end": "c3b802",
      "a group with another end": "c3b802ccb802",
      "the wire type 6": "c6b80201",
      "the wire type 7": "c7b80201",
      "the number 0": "0001",
      "the number 0 in a group": "c3b8020001c4b802",
      "a tag of more than 32 bits": "8080808010",
      "a tag of 6 bytes": "88808080800001",
      "a tag without an end": "c0",
      "a value without an end": "c0b802ff",
      "a varint of 11 bytes": "c0b802ffffffffffffffffffff01",
      "four bytes that are three": "c5b802000000",
      "eight bytes that are seven": "c1b80200000000000000",
      "a length beyond the end": "c2b8020200",
      "a length of more than 32 bits": "c2b8028080808010",
    };
    for (const [what, hex] of Object.entries(malformed))
      expect([what, isRefused(empty, Buffer.from(hex, "hex"))]).toEqual([what, true]);
  });

  test("has groups on at most as many levels as messages", () => {
    expect(isRefused(empty, groups(99))).toBe(false);
    expect(isRefused(empty, groups(100))).toBe(true);
    expect(
      isRefused(
        empty,
        write((writer) => writer.raw(new Uint8Array(4_000_000).fill(0x0b))),
      ),
    ).toBe(true);
  });
});

describe("nothing goes on behind the end of what it is in", () => {
  test.each([
    // A length of 1, which is that of a tag; what would be its value stands behind it.
    ["a field of a message", BulkAddProjectRolesRequestSchema, "12010a0161"],
    ["a field of an entry of a map", KindsSchema, "9a0101100161"],
    ["an entry of a packed list", KindsSchema, "52018001"],
    // A message of 2 bytes, of 3 and of 3: tag and length of one of 3 bytes, which stand behind it.
    ["a message in a message", KindsSchema, "5a0212030a0161"],
    ["a packed list in a message", ScalarsSchema, "921903ca0603080108"],
    ["a text in a message", KindsSchema, "5a020a030a0161"],
  ])("%s is refused", (_what, desc, hex) => {
    expect(isRefused(desc, Buffer.from(hex, "hex"))).toBe(true);
  });
});

test("a known group, which proto3 does not have, is refused in every wire type", () => {
  const label = FieldDescriptorProto_Label.OPTIONAL;
  const type = FieldDescriptorProto_Type.GROUP;
  const file = create(FileDescriptorProtoSchema, {
    name: "test/v1/grouped.proto",
    syntax: "proto2",
    messageType: [
      {
        name: "Grouped",
        field: [{ name: "inner", number: 1, label, type, typeName: ".Grouped.Inner" }],
        nestedType: [{ name: "Inner" }],
      },
    ],
  });
  const grouped = createFileRegistry(create(FileDescriptorSetSchema, { file: [file] })).getMessage(
    "Grouped",
  )!;
  for (const wireType of wireTypes)
    expect(isRefused(grouped, inWireType({ path: [], number: 1 }, wireType))).toBe(true);
});

test("a message has as many levels as protobuf-es takes, and no more", () => {
  const nested = (depth: number) => {
    let inner: Uint8Array = new Uint8Array(0);
    for (let level = 1; level < depth; level++) {
      const data = inner;
      inner = write((writer) => writer.tag(level === depth - 1 ? 11 : 2, delimited).bytes(data));
    }
    return inner;
  };
  expect(isRefused(KindsSchema, nested(100))).toBe(false);
  fromBinary(KindsSchema, nested(100));
  expect(isRefused(KindsSchema, nested(101))).toBe(true);
});

describe("values are counted", () => {
  const roles = (count: number) => Buffer.alloc(2 * count, Uint8Array.of(0x12, 0)); // field 2, an empty message

  test("20,000 pass, whatever they are, and no more", () => {
    const scan = (count: number) => () => scanBinary(BulkAddProjectRolesRequestSchema, roles(count));
    expect(scan(20_000)).not.toThrow();
    expect(scan(20_001)).toThrow("more than 20000 values");
    expect(scan(4_000_000)).toThrow("more than 20000 values");
  });

  test("a batch may have ten times as many", () => {
    const items = (count: number) => Buffer.alloc(2 * count, Uint8Array.of(0x0a, 0));
    expect(isRefused(WriteRequestSchema, items(200_000))).toBe(false);
    expect(isRefused(WriteRequestSchema, items(200_001))).toBe(true);
  });

  test.each([
    ["unknown fields", (count: number) => Buffer.alloc(2 * count, Uint8Array.of(0x78, 1))],
    [
      "fields of an unknown group",
      (count: number) => group(Buffer.alloc(2 * (count - 2), Uint8Array.of(0x78, 1))),
    ],
    ["groups", (count: number) => Buffer.alloc(count, Uint8Array.of(0x7b, 0x7c))],
  ])("%s count", (_what, make) => {
    const empty = HealthCheckRequestSchema;
    expect(isRefused(empty, make(20_000))).toBe(false);
    expect(isRefused(empty, make(20_002))).toBe(true);
  });

  test.each([
    ["a list", 10, 1],
    ["a list of four bytes each", 100 + 7, 4],
    ["a list of eight bytes each", 100 + 1, 8],
  ])("each entry of %s that is packed counts", (_what, number, size) => {
    const desc = number === 10 ? KindsSchema : ScalarsSchema;
    const packed = (count: number) =>
      write((writer) => writer.tag(number, delimited).bytes(new Uint8Array(size * count)));
    expect(isRefused(desc, packed(19_999))).toBe(false);
    expect(isRefused(desc, packed(20_000))).toBe(true);
  });
});

describe("free-form JSON", () => {
  const credential = (publicKeyCredential: object) =>
    toBinary(VerifyU2fRequestSchema, create(VerifyU2fRequestSchema, { publicKeyCredential } as object));
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

  test("has at most 1,000 values", () => {
    const list = (count: number) => credential({ a: Array.from({ length: count - 1 }, () => 0) });
    const object = (count: number) =>
      credential({ a: Object.fromEntries(Array.from({ length: count - 1 }, (_each, at) => [`${at}`, {}])) });
    for (const make of [list, object]) {
      expect(isRefused(VerifyU2fRequestSchema, make(1000))).toBe(false);
      expect(() => scanBinary(VerifyU2fRequestSchema, make(1001))).toThrow(
        expect.objectContaining({ reason: "INVALID_REQUEST", violations: [{ field, description }] }),
      );
    }
    // What is sent in parts is made one of.
    expect(isRefused(VerifyU2fRequestSchema, Buffer.concat([list(600), list(600)]))).toBe(true);
  });

  test("has at most 16 levels", () => {
    const scan = (levels: number) => () => scanBinary(VerifyU2fRequestSchema, credential(nested(levels)));
    expect(scan(16)).not.toThrow();
    expect(scan(17)).toThrow(expect.objectContaining({ violations: [{ field, description }] }));
    const lists = (levels: number) =>
      credential({ a: JSON.parse("[".repeat(levels - 1) + "]".repeat(levels - 1)) });
    expect(isRefused(VerifyU2fRequestSchema, lists(16))).toBe(false);
    expect(isRefused(VerifyU2fRequestSchema, lists(17))).toBe(true);
  });

  const field = "public_key_credential";
  const description = "must have at most 1000 values on at most 16 levels";
});

describe("protobuf-es and the scan read alike", () => {
  const seed = readSeed();
  const each = 8;
  beforeAll(() => void process.stdout.write(`GATEHOUSE_HOSTILE_SEED=${seed}\n`));

  test("what protobuf-es writes passes", () => {
    const refused: string[] = [];
    for (const desc of types)
      for (let index = 0; index < each; index++)
        if (isRefused(desc, toBinary(desc, randomMessage(desc, createRandom(seed, index)))))
          refused.push(`${desc.typeName} ${index}`);
    expect(refused).toEqual([]);
  });

  test("what passes is decoded, and passes again as protobuf-es writes it", () => {
    let taken = 0;
    for (const desc of types)
      for (let index = 0; index < each; index++) {
        const random = createRandom(seed, index);
        const whole = Buffer.from(toBinary(desc, randomMessage(desc, random)));
        const { body } = mutateBinary(whole, desc, random);
        if (isRefused(desc, body)) continue;
        const decoded = decode(desc, body);
        if (decoded === undefined) continue;
        taken++;
        scanBinary(desc, toBinary(desc, decoded));
      }
    expect(taken).toBeGreaterThan(types.length * each * 0.2);
  });
});

/** Returns undefined for text that is no UTF-8, the one thing that the scan leaves to the decoder. */
function decode(desc: DescMessage, bytes: Uint8Array): Message | undefined {
  try {
    return fromBinary(desc, bytes);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_ENCODING_INVALID_ENCODED_DATA") return undefined;
    throw error;
  }
}

function group(inner: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(0x7b), inner, Uint8Array.of(0x7c)]);
}
