#!/usr/bin/env bash
# @bufbuild/protobuf 2.17.0: fromJson refuses `null` for a message in a oneof of which another member is set.
# One would expect: ProtoJSON reads null as "not set" for every kind of field, and fromJson does so for scalars of the same oneof, for
# messages outside of a oneof, and for a oneof of which nothing else is set; Python's protobuf takes it everywhere.
# What happens: "oneof set multiple times", in either order. Serializers that write absent members as null (Jackson's default, C# records)
# therefore fail as soon as a request has a choice between messages.
# Seen 2026-11-28 with @bufbuild/protobuf 2.17.0 on Node 20 and 26; source: protobuf.dev, "ProtoJSON Format", row "null".
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund @bufbuild/protobuf@2.17.0

cat >try.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { create, createFileRegistry, fromJson } from "@bufbuild/protobuf";
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
} from "@bufbuild/protobuf/wkt";

const optional = { label: Label.OPTIONAL };
const member = { ...optional, oneofIndex: 0 };
const part = { type: Type.MESSAGE, typeName: ".try.Part" };
const file = create(FileDescriptorProtoSchema, {
  name: "try.proto",
  package: "try",
  syntax: "proto3",
  messageType: [
    { name: "Part" },
    {
      name: "Whole",
      oneofDecl: [{ name: "kind" }],
      field: [
        { name: "left", jsonName: "left", number: 1, ...part, ...member },
        { name: "right", jsonName: "right", number: 2, ...part, ...member },
        { name: "text", jsonName: "text", number: 3, type: Type.STRING, ...member },
        { name: "other", jsonName: "other", number: 4, ...part, ...optional },
      ],
    },
  ],
});
const schema = createFileRegistry(file, () => undefined).getMessage("try.Whole");

function read(json) {
  try {
    return `kind is ${fromJson(schema, json).kind.case}`;
  } catch (error) {
    return `refused: ${error.message}`;
  }
}

const { version } = JSON.parse(readFileSync("node_modules/@bufbuild/protobuf/package.json", "utf8"));
console.log(`@bufbuild/protobuf ${version}`);
const expected = [
  [{ left: null }, "kind is undefined"],
  [{ text: null, right: {} }, "kind is right"],
  [{ other: null, right: {} }, "kind is right"],
  [{ left: null, right: {} }, "refused: cannot decode oneof try.Whole.kind from JSON: oneof set multiple times by left and right"],
  [{ right: {}, left: null }, "refused: cannot decode oneof try.Whole.kind from JSON: oneof set multiple times by right and left"],
];
let isSame = true;
for (const [json, seen] of expected) {
  const now = read(json);
  isSame &&= now === seen;
  console.log(`${JSON.stringify(json)}: ${now}`);
}
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs
