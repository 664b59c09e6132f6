import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { createGround } from "../hostile/support/ground.ts";
import { readSeed } from "../hostile/support/random.ts";
import { differencesOf } from "../process/support/tables.ts";
import { listMethods } from "../support/methods.ts";
import { startService } from "../support/service.ts";
import { sized } from "../support/size.ts";
import {
  allowedOrigin,
  callsOf,
  type Comparison,
  compareLanes,
  countCodes,
  differencesBetween,
} from "../sites/rpc/support/lane-twins.ts";
import { startTwin, type Twin } from "./support/twins.ts";

// Two whole services with the same data; `test/sites/rpc/lanes.sized.test.ts` compares very many requests without storage.
// GATEHOUSE_HOSTILE_SEED makes the same requests again, but for ids and tokens.
const seed = readSeed();
const total = sized({ small: 600, full: 3900 });
/** What falls away: requests that may differ, such as those for metrics. */
const leastTaken = total * 0.9;
const flags = { corsOrigins: allowedOrigin };

let own: Twin;
let connect: Twin;
let comparison: Comparison;

beforeAll(async () => {
  process.stdout.write(`GATEHOUSE_HOSTILE_SEED=${seed}\n`);
  const service = await startService(flags);
  const ground = await createGround(service);
  own = await startTwin(service.place, flags, { isUnaryLaneOff: false });
  connect = await startTwin(service.place, flags, { isUnaryLaneOff: true });
  await service.stop();
  const methods = await listMethods();
  comparison = await compareLanes([own.port, connect.port], ground, {
    methods,
    seed,
    total,
    hasPassedDeadlines: false,
  });
  await own.stop();
  await connect.stop();
}, 300_000);
afterAll(async () => {
  await own.remove();
  await connect.remove();
});

test("both lanes answer calls of every method with the same status, headers, trailers and bytes", () => {
  const { differences, taken } = comparison;
  process.stdout.write(
    `${JSON.stringify(taken)}, by code ${JSON.stringify(countCodes(callsOf(own.logLines)))}\n`,
  );
  expect(differences.slice(0, 5)).toEqual([]);
  expect(differences).toHaveLength(0);
  expect(taken.grpc + taken["grpc-web"]).toBeGreaterThan(leastTaken);
  expect(Object.keys(countCodes(callsOf(own.logLines)))).toEqual(
    expect.arrayContaining(sized({ small: ["0", "3", "16"], full: ["0", "3", "5", "7", "8", "12", "16"] })),
  );
});

test("both lanes log the calls alike", () => {
  const [left, right] = [own, connect].map(({ logLines }) => callsOf(logLines));
  expect(left?.length).toBeGreaterThan(leastTaken);
  expect(differencesBetween(left, right).slice(0, 5)).toEqual([]);
});

test("both lanes leave the same data", async () => {
  expect(differencesOf(await own.place.raw.dump(), await connect.place.raw.dump())).toEqual([]);
});
