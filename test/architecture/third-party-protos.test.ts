import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { createRegistry, equals, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { expect, test } from "@jest/globals";

const root = join(import.meta.dirname, "../..");

test("the printed validate.proto compiles to the descriptor that it was printed from", () => {
  execFileSync("node", [".tools/lay-protos.mjs"], { cwd: root });
  const bytes = execFileSync(
    "buf",
    ["build", "proto", "--exclude-source-info", "--as-file-descriptor-set", "-o", "-#format=binpb"],
    { cwd: root },
  );
  const compiled = fromBinary(FileDescriptorSetSchema, bytes).file.find(
    (file) => file.name === "buf/validate/validate.proto",
  );
  const original = file_buf_validate_validate.proto;
  expect(compiled?.messageType.length).toBe(original.messageType.length);
  expect(
    compiled !== undefined &&
      equals(FileDescriptorProtoSchema, compiled, original, { registry: createRegistry(), unknown: true }),
  ).toBe(true);
});
