// Lays the third-party .proto files into .protos/, which git ignores and buf.yaml names as a second module.
//
// They come from installed npm packages, so that they are not copied into the repository and no network is needed.
// Files that are already right are left alone, so two runs at the same time do not disturb each other.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { file_buf_validate_validate } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { printProto } from "./print-proto.mjs";

const require = createRequire(import.meta.url);

/** Where each file comes from. */
const COPIES = {
  "google/api/annotations.proto": ["protobufjs", "google/api/annotations.proto"],
  "google/api/http.proto": ["protobufjs", "google/api/http.proto"],
  "grpc/health/v1/health.proto": ["grpc-health-check", "proto/health/v1/health.proto"],
  "grpc/reflection/v1/reflection.proto": [
    "@grpc/reflection",
    "build/proto/grpc/reflection/v1/reflection.proto",
  ],
  "grpc/reflection/v1alpha/reflection.proto": [
    "@grpc/reflection",
    "build/proto/grpc/reflection/v1alpha/reflection.proto",
  ],
};
const VALIDATE_NOTICE = `// Copyright 2024-2026 Buf Technologies, Inc. Licensed under the Apache License, Version 2.0.
// Printed by .tools/lay-protos.mjs from the descriptor in the npm package @bufbuild/protovalidate.

`;

/**
 * Lays the files into the folder and removes what else is there.
 *
 * @param {string} folder
 */
export function layProtos(folder) {
  const files = new Map(Object.entries(COPIES).map(([path, source]) => [path, readFromPackage(...source)]));
  files.set("buf/validate/validate.proto", VALIDATE_NOTICE + printProto(file_buf_validate_validate));
  for (const [path, text] of files) writeIfChanged(join(folder, path), text);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name.endsWith(".proto") && !files.has(relative(folder, path)))
      rmSync(path, { force: true });
  }
}

function readFromPackage(name, path) {
  return readFileSync(join(dirname(require.resolve(`${name}/package.json`)), path), "utf8");
}

function writeIfChanged(path, text) {
  try {
    if (readFileSync(path, "utf8") === text) return;
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
  }
  mkdirSync(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    layProtos(fileURLToPath(new URL("../.protos", import.meta.url)));
  } catch (error) {
    // An installation without devDependencies runs the service, which needs no .proto files.
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
}
