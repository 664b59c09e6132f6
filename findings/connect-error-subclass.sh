#!/usr/bin/env bash
# @connectrpc/connect 2.2.0: a subclass of ConnectError is one only as long as its `name` stays, and `instanceof` of it takes all errors.
# One would expect: an interceptor turns failures into errors of a class of its own, which extends ConnectError and has a name of its own;
# callers catch these by `instanceof`, with their code and details.
# What happens: ConnectError decides `instanceof` by the name and the members of a value. So the call rejects with a plain ConnectError of
# code unknown, in which the subclass is the cause; and the subclass inherits that rule, so every ConnectError is an instance of it.
# With the name left as it is, and `Symbol.hasInstance` declared anew, both are as expected.
# Seen 2026-11-29 with @connectrpc/connect 2.2.0 and @bufbuild/protobuf 2.17.0 on Node 26; source: connect-error.ts, Symbol.hasInstance.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund @connectrpc/connect@2.2.0 @bufbuild/protobuf@2.17.0

cat >try.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { createFileRegistry, fromJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient, createRouterTransport } from "@connectrpc/connect";

const files = fromJson(FileDescriptorSetSchema, {
  file: [
    {
      name: "shop.proto",
      syntax: "proto3",
      messageType: [{ name: "Ask" }, { name: "Answer" }],
      service: [{ name: "Shop", method: [{ name: "Buy", inputType: ".Ask", outputType: ".Answer" }] }],
    },
  ],
});
const Shop = createFileRegistry(files).getService("Shop");

class Named extends ConnectError {
  name = "ShopError";
}
class Unnamed extends ConnectError {
  reason = "SOLD_OUT";
  static [Symbol.hasInstance](value) {
    return value instanceof ConnectError && "reason" in value;
  }
}

/** What a caller catches when an interceptor throws errors of that class. */
async function failBy(Class) {
  const refuse = () => {
    throw new ConnectError("no shoes", Code.NotFound);
  };
  const turn = (next) => async (request) => {
    try {
      return await next(request);
    } catch (error) {
      throw new Class(error.rawMessage, error.code);
    }
  };
  const transport = createRouterTransport(({ service }) => service(Shop, { buy: refuse }), {
    transport: { interceptors: [turn] },
  });
  const caught = await createClient(Shop, transport).buy({}).catch((error) => error);
  return `${Object.getPrototypeOf(caught).constructor.name} of code ${Code[caught.code]}`;
}

const versionOf = (name) => JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version;
console.log(`@connectrpc/connect ${versionOf("@connectrpc/connect")}, @bufbuild/protobuf ${versionOf("@bufbuild/protobuf")}`);
const seen = {
  "a call that fails with the subclass that has a name": [await failBy(Named), "ConnectError of code Unknown"],
  "with the one that keeps it": [await failBy(Unnamed), "Unnamed of code NotFound"],
  "a plain ConnectError instanceof the first": [new ConnectError("plain") instanceof Named, true],
  "its own instance instanceof the first": [new Named("named") instanceof Named, false],
  "a plain ConnectError instanceof the second": [new ConnectError("plain") instanceof Unnamed, false],
};
for (const [what, [now]] of Object.entries(seen)) console.log(`${what}: ${now}`);
const isSame = Object.values(seen).every(([now, before]) => now === before);
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs
