import type { Guard } from "./guards.ts";

/** More calls than can be done at a time. */
export const loadGuards: readonly Guard[] = [
  {
    name: "calls under way",
    file: "src/transport/call-room.ts",
    changes: [["if (inside >= maxCalls) {", "if (false) {"]],
    in: "test/transport/call-room.test.ts",
    test: "is refused",
  },
  {
    name: "calls under way: places are given back",
    file: "src/transport/dispatch.ts",
    changes: [["if (exchange !== undefined) options.room.leave(exchange);", ""]],
    in: "test/transport/call-room.test.ts",
    test: "a place is given back",
  },
  {
    name: "calls under way: open streams take no place",
    file: "src/transport/lanes/connect-lane.ts",
    changes: [['if (method.descriptor.methodKind === "server_streaming") onStream(exchange);', ""]],
    in: "test/transport/call-room.test.ts",
    test: "take no place once they are open",
  },
  {
    name: "calls under way: health has room of its own",
    file: "src/transport/dispatch.ts",
    changes: [["if (openPaths.has(exchange.path))", "if (false)"]],
    in: "test/transport/call-room.test.ts",
    test: "still answer",
  },
  {
    name: "calls under way: without a token the oldest are cut",
    file: "src/transport/call-room.ts",
    changes: [["oldest.cut();", ""]],
    in: "test/transport/call-room.test.ts",
    test: "the oldest first",
  },
  {
    name: "changes that wait",
    file: "src/storage/sqlite/group-commit.ts",
    changes: [["if (queue.length >= maxWaitingWrites &&", "if (false &&"]],
    in: "test/storage/waiting-writes.test.ts",
    test: "refused",
  },
  {
    name: "unread answers: a peer who does not even take a reset",
    file: "src/transport/reset-stream.ts",
    changes: [["if (!stream.destroyed) session?.emit(resetWaits, stream);", "return;"]],
    in: "test/transport/slow.test.ts",
    test: "loses it",
  },
];
