// Lays the third-party .proto files that ours import beside them into proto/, so that proto/ is all that protoc and buf
// need. Git ignores them; the npm package has them.
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
/** Folders that hold nothing but what is laid. */
const FOLDERS = ["buf", "google/api", "grpc"];

/**
 * The package protobufjs leaves these out. Without them there is no Go and no Java package of that name to refer to.
 */
const API_OPTIONS = `
// Copyright Google LLC. Licensed under the Apache License, Version 2.0. From the npm package protobufjs; the options are
// those of the original.
option go_package = "google.golang.org/genproto/googleapis/api/annotations;annotations";
option java_multiple_files = true;
option java_package = "com.google.api";
`;

const VALIDATE_NOTICE = `// Copyright 2024-2026 Buf Technologies, Inc. Licensed under the Apache License, Version 2.0.
// Printed by .tools/lay-protos.mjs from the descriptor in the npm package @bufbuild/protovalidate.

`;

/**
 * Lays the files into the folder, and removes other .proto files from the folders that hold nothing but them.
 *
 * @param {string} folder
 */
export function layProtos(folder) {
  const files = new Map(Object.entries(COPIES).map(([path, source]) => [path, readFromPackage(...source)]));
  for (const [path, text] of files)
    if (path.startsWith("google/api/")) files.set(path, addOptions(text, API_OPTIONS));
  files.set("buf/validate/validate.proto", VALIDATE_NOTICE + printProto(file_buf_validate_validate));
  for (const [path, text] of files) writeIfChanged(join(folder, path), text);
  for (const entry of FOLDERS.flatMap((each) => listFiles(join(folder, each)))) {
    const path = join(entry.parentPath, entry.name);
    if (entry.name.endsWith(".proto") && !files.has(relative(folder, path))) rmSync(path, { force: true });
  }
}

function listFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
}

/** Adds options behind the line of the package; throws if the file has them by now. */
function addOptions(text, options) {
  if (text.includes("option ")) throw new Error("the file has options: leave out those that are added here");
  return text.replace(/^package .*;\n/m, (line) => `${line}${options}`);
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
    layProtos(fileURLToPath(new URL("../proto", import.meta.url)));
  } catch (error) {
    // An installation without devDependencies runs the service, which needs no .proto files.
    if (error.code !== "MODULE_NOT_FOUND") throw error;
  }
}
