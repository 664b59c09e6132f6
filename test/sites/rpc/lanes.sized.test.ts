import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { toBinary } from "@bufbuild/protobuf";
import type { Call } from "../../../src/kernel/base/call.ts";
import { alreadyExists, notFound, Problem } from "../../../src/kernel/base/problem.ts";
import type { Stock } from "../../hostile/support/ground.ts";
import { readSeed } from "../../hostile/support/random.ts";
import { createTestClock } from "../../support/clock.ts";
import { createFixedRandom } from "../../support/fixed-random.ts";
import { listMethods } from "../../support/methods.ts";
import { sized } from "../../support/size.ts";
import { KindsService } from "./support/kinds.ts";
import {
  allowedOrigin,
  callsOf,
  type Comparison,
  compareLanes,
  countCodes,
  differencesBetween,
} from "./support/lane-twins.ts";
import { startTestServer, type TestServer } from "./support/server.ts";

// GATEHOUSE_HOSTILE_SEED makes the same requests again.
const seed = readSeed();
const total = sized({ small: 900, full: 20_100 });
/** What falls away: requests that may differ, such as those for metrics. */
const leastTaken = total * 0.9;

const stock: Stock = {
  tokens: ["good", "good", "good", "good", "bad"],
  values: { organization_id: ["2", "forbidden"] },
  expendable: {},
};

let own: TestServer;
let connect: TestServer;
let comparison: Comparison;

beforeAll(async () => {
  process.stdout.write(`GATEHOUSE_HOSTILE_SEED=${seed}\n`);
  const served = new Set(["ProjectService", "UserService", "IdentityProviderService"]);
  const known = (await listMethods()).filter(({ parent }) => served.has(parent.name));
  const { echo } = KindsService.method;
  const methods = [...known, ...known.map(() => echo)];
  own = await startTwin(methods, false);
  connect = await startTwin(methods, true);
  comparison = await compareLanes([own.port, connect.port], stock, {
    methods,
    seed,
    total,
    hasPassedDeadlines: true,
  });
}, 300_000);
afterAll(async () => {
  await own.stop();
  await connect.stop();
});

async function startTwin(
  methods: readonly { readonly localName: string }[],
  isUnaryLaneOff: boolean,
): Promise<TestServer> {
  const clock = createTestClock();
  const server = await startTestServer({
    clock,
    random: createFixedRandom(),
    corsOrigins: [allowedOrigin],
    isUnaryLaneOff,
  });
  for (const { localName } of methods) server.answers.set(localName, answer);
  return server;
}

/** Fails in every way, as the id of the request says, and otherwise answers: Echo its request, sometimes with a long text. */
function answer({ requestId }: Call, request: { readonly $typeName: string }) {
  const chosen = Number.parseInt(requestId.slice(0, 4), 16);
  switch (chosen % 8) {
    case 1:
      throw notFound("project", "ö%\n7 \u{1f600}");
    case 3:
      throw alreadyExists("project", "x".repeat(3000));
    case 5:
      throw new Problem({
        kind: "unavailable",
        reason: "OVERLOADED",
        message: "wait",
        metadata: { a: "é" },
        retryAfterMs: 1500,
      });
    case 7:
      throw new Error("a bug");
    default:
      if (request.$typeName !== "test.v1.Kinds") return {};
      return chosen % 3 === 0 ? { ...request, text: "long ".repeat(600) } : request;
  }
}

test("calls in frames are answered by both lanes with the same status, headers, trailers and bytes", () => {
  const { differences, taken } = comparison;
  process.stdout.write(`${JSON.stringify(taken)}, by code ${JSON.stringify(countCodes(own.logLines))}\n`);
  expect(differences.slice(0, 5)).toEqual([]);
  expect(differences).toHaveLength(0);
  expect(taken.grpc + taken["grpc-web"]).toBeGreaterThan(leastTaken);
  expect(Math.min(taken.grpc, taken["grpc-web"])).toBeGreaterThan(total / 3);
  expect(Object.keys(countCodes(own.logLines))).toEqual(
    expect.arrayContaining(
      sized({ small: ["0", "3", "5", "16"], full: ["0", "3", "4", "5", "6", "8", "12", "13", "14", "16"] }),
    ),
  );
});

test("both lanes log the calls alike", () => {
  const [left, right] = [own, connect].map(({ logLines }) => callsOf(logLines));
  expect(left?.length).toBeGreaterThan(leastTaken);
  expect(differencesBetween(left, right).slice(0, 5)).toEqual([]);
});

test("the same calls reach the services", () => {
  // What a call did whose deadline had passed may not have been begun.
  const late = new Set(own.logLines.filter(({ code }) => code === 4).map(({ request_id: id }) => String(id)));
  const requests = [own, connect].map(({ calls }) =>
    calls
      .filter(({ call }) => !late.has(call.requestId))
      .map(({ method, request }) => [
        method.name,
        Buffer.from(toBinary(method.input, request)).toString("base64"),
      ]),
  );
  expect(requests[0]?.length).toBeGreaterThan(total / 6);
  expect(differencesBetween(requests[0], requests[1]).slice(0, 5)).toEqual([]);
});
