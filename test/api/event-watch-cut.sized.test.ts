import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { once } from "node:events";
import net, { type AddressInfo, type Socket } from "node:net";
import { EventService } from "../../gen/gatehouse/v1/event_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { answerOf, startService, type TestService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import { createProject, createWorld, uniqueName, type World } from "../support/world.ts";
import { openWatch, type StreamLane, streamLanes } from "./support/watch.ts";

const watchers = sized({ small: 4, full: 20 });
const writes = sized({ small: 200, full: 5000 });
/** As many bytes go through at the most before the next cut. */
const maxPiece = sized({ small: 10_000, full: 1_000_000 });
const writersAtOnce = 16;

let service: TestService;
let world: World;
let relay: Awaited<ReturnType<typeof startRelay>>;

beforeAll(async () => {
  // All of them run in this process, so that none is as quick as it could be.
  service = await startService({ "watch-max-lag-ms": "600000" });
  world = await createWorld(service);
  relay = await startRelay(service.port);
});
afterAll(async () => {
  relay.close();
  await service.stop();
});

test("watchers whose connections are cut again and again have exactly what was committed", async () => {
  const projectId = await createProject(service, world.organizationId);
  const list = await service.call(EventService.method.listEvents, { pageSize: 1 });
  const start = BigInt((list["details"] as { processedSequence: string }).processedSequence);
  const state = { isWritten: false, last: 0n, waiting: new Set<() => void>() };
  const watching = Array.from({ length: watchers }, (_, index) => {
    const lane = streamLanes[index % streamLanes.length] ?? "grpc";
    return follow(lane, start, {
      end: () => (state.isWritten ? state.last : undefined),
      waiting: state.waiting,
    });
  });
  const cutting = cutUntil(() => state.isWritten);
  await writeMany(projectId);
  const committed = await sequencesAfter(start);
  state.last = committed.at(-1) ?? 0n;
  state.isWritten = true;
  await cutting;
  relay.cut(() => true);
  // Those that have everything already wait for an event that tells them so. Those that lack one are not helped.
  for (const look of state.waiting) look();
  const followed = await Promise.all(watching);
  expect(committed).toHaveLength(writes);
  for (const { seen } of followed) expect(seen).toEqual(committed);
  for (const { connections } of followed) expect(connections).toBeGreaterThan(1);
}, 300_000);

/** Watches until everything up to the end has arrived, and connects again from the last event whenever it is cut off. */
async function follow(
  lane: StreamLane,
  start: bigint,
  { end, waiting }: { readonly end: () => bigint | undefined; readonly waiting: Set<() => void> },
) {
  const seen: bigint[] = [];
  let connections = 0;
  for (;;) {
    const done = end();
    if (done !== undefined && seen.at(-1) === done) return { seen, connections };
    connections += 1;
    const open = openWatch(
      lane,
      relay.url,
      { afterSequence: seen.at(-1) ?? start },
      {
        token: world.owner.token,
        onEvent: ({ sequence }) => {
          seen.push(sequence);
          if (sequence === end()) open.cancel();
        },
      },
    );
    const look = () => {
      if (seen.at(-1) === end()) open.cancel();
    };
    waiting.add(look);
    const { code, reason, message } = await open.ended;
    waiting.delete(look);
    // Cancelled, unknown, internal or unavailable: how clients name a connection that broke. Never one of our refusals.
    expect({ code, reason, message }).toMatchObject({ reason: undefined });
    expect([0, 1, 2, 13, 14]).toContain(code);
  }
}

async function writeMany(projectId: string): Promise<void> {
  let left = writes;
  const writeOn = async () => {
    while (left > 0) {
      left -= 1;
      const roleKey = uniqueName("role").replaceAll(" ", "-");
      const request = { projectId, roleKey };
      const options = { token: world.owner.token };
      answerOf(await service.clients.grpc.call(ProjectService.method.addProjectRole, request, options));
    }
  };
  await Promise.all(Array.from({ length: writersAtOnce }, writeOn));
}

/** Cuts a third of the connections, as soon as so many bytes have gone through since the last time. */
async function cutUntil(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await relay.passed((0.1 + 0.9 * Math.random()) * maxPiece, isOver);
    relay.cut(() => Math.random() < 0.3);
  }
}

async function sequencesAfter(start: bigint): Promise<readonly bigint[]> {
  const rows = await service.place.raw.peek<{ sequence: number }>(
    "SELECT sequence FROM events WHERE sequence > ? ORDER BY sequence",
    [Number(start)],
  );
  return rows.map(({ sequence }) => BigInt(sequence));
}

/** Starts what passes connections on to a port, and can cut them at any byte. */
async function startRelay(port: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  let bytes = 0;
  let onBytes = () => {};
  const server = net.createServer((inside) => {
    const outside = net.connect(port, "127.0.0.1");
    const pair = [inside, outside] as const;
    pairs.add(pair);
    const cut = () => {
      pairs.delete(pair);
      inside.destroy();
      outside.destroy();
    };
    for (const socket of pair) socket.on("error", cut).on("close", cut);
    inside.pipe(outside);
    outside.pipe(inside);
    outside.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      onBytes();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(choose: () => boolean) {
      for (const [inside, outside] of pairs) {
        if (!choose()) continue;
        inside.resetAndDestroy();
        outside.resetAndDestroy();
      }
    },
    /** Resolves when so many bytes of answers have passed, or it is over. */
    passed: (count: number, isOver: () => boolean) =>
      new Promise<void>((resolve) => {
        const goal = bytes + count;
        onBytes = () => {
          if (bytes >= goal || isOver()) resolve();
        };
        const poll = setInterval(() => {
          if (!isOver()) return;
          clearInterval(poll);
          resolve();
        }, 50);
        void Promise.resolve().then(onBytes);
      }),
    close() {
      for (const pair of pairs) for (const socket of pair) socket.destroy();
      server.close();
    },
  };
}
