#!/usr/bin/env bash
# @connectrpc/connect 2.2.0: the response headers of a server stream wait for the handler's first message, and nothing sends them before.
# One would expect: headers when the handler starts to wait, or a call that sends them, as sendMetadata of @grpc/grpc-js or SendHeader
# of grpc-go; a watch that has nothing to tell yet would otherwise look like a server that does not answer.
# What happens: a client gets no byte until the first message or the end, over gRPC, gRPC-web and Connect alike. So a quiet watch runs
# into the time limit that a proxy has for the headers of an answer (nginx: 60 s, then 504), though the stream itself is good.
# Seen 2026-11-28 with @connectrpc/connect and connect-node 2.2.0 on Node 20 and 26; source: HandlerContext has responseHeader only.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo '{ "private": true, "type": "module" }' >package.json
npm install --silent --no-audit --no-fund @connectrpc/connect@2.2.0 @connectrpc/connect-node@2.2.0 @bufbuild/protobuf@2.17.0

cat >try.mjs <<'PROGRAM'
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, createServer } from "node:http2";
import { setTimeout as pause } from "node:timers/promises";
import { create, createFileRegistry } from "@bufbuild/protobuf";
import { EmptySchema, FileDescriptorProtoSchema, file_google_protobuf_empty } from "@bufbuild/protobuf/wkt";
import { connectNodeAdapter } from "@connectrpc/connect-node";

const empty = ".google.protobuf.Empty";
const method = { name: "Watch", inputType: empty, outputType: empty, serverStreaming: true };
const file = create(FileDescriptorProtoSchema, {
  name: "try.proto",
  package: "try",
  syntax: "proto3",
  dependency: ["google/protobuf/empty.proto"],
  service: [{ name: "Watcher", method: [method] }],
});
const service = createFileRegistry(file, () => file_google_protobuf_empty.proto).getService("try.Watcher");
const quietMs = 1500;
const handler = connectNodeAdapter({
  routes: (router) =>
    router.service(service, {
      async *watch(_request, context) {
        context.responseHeader.set("x-set", "before the wait");
        await pause(quietMs);
        yield create(EmptySchema);
      },
    }),
});
const server = createServer(handler).listen(0, "localhost");
await once(server, "listening");
const session = connect(`http://localhost:${server.address().port}`);

/** Returns after how many milliseconds the headers of the answer came. */
async function wait(contentType) {
  const headers = { ":method": "POST", ":path": "/try.Watcher/Watch", "content-type": contentType, te: "trailers" };
  const begin = Date.now();
  const stream = session.request({ ...headers, "connect-protocol-version": "1" });
  stream.end(Buffer.alloc(5)); // one message without fields
  const [answer] = await once(stream, "response");
  const afterMs = Date.now() - begin;
  if (answer[":status"] !== 200 || answer["x-set"] === undefined) throw new Error(JSON.stringify(answer));
  stream.resume();
  await once(stream, "close");
  return afterMs;
}

const { version } = JSON.parse(readFileSync("node_modules/@connectrpc/connect/package.json", "utf8"));
console.log(`@connectrpc/connect ${version}, a handler that sets a header, waits ${quietMs} ms, and sends a message`);
let isSame = true;
for (const contentType of ["application/grpc+proto", "application/grpc-web+proto", "application/connect+proto"]) {
  const afterMs = await wait(contentType);
  isSame &&= afterMs >= quietMs - 100;
  console.log(`${contentType}: headers after ${afterMs} ms`);
}
session.close();
server.close();
console.log(isSame ? "the behaviour is as described" : "the behaviour has CHANGED");
process.exitCode = isSame ? 0 : 1;
PROGRAM
node try.mjs
