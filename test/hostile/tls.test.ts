import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { certificate, fixture } from "../process/support/secure.ts";
import { listMethods } from "../support/methods.ts";
import { sized } from "../support/size.ts";
import { createGround } from "./support/ground.ts";
import { createKinds } from "./support/kinds.ts";
import { type Lab, startLab } from "./support/lab.ts";
import { createTally, type Failure, grind } from "./support/mill.ts";
import { readSeed } from "./support/random.ts";

const seed = readSeed();
const total = sized({ small: 500, full: 1500 });

let lab: Lab;
let kinds: ReturnType<typeof createKinds> = [];
beforeAll(async () => {
  // The objects are made over clear text, where the clients of the tests are at home.
  const clear = await startLab();
  const ground = await createGround(clear);
  const folder = { path: clear.dataFolder, remove: clear.remove };
  await clear.stop();
  const pair = ["--tls-cert", fixture("tls-cert.pem"), "--tls-key", fixture("tls-key.pem")];
  lab = await startLab(pair, { folder });
  kinds = createKinds({ ground, methods: await listMethods(), seed, total });
});
afterAll(() => {
  lab.process.child.kill("SIGKILL");
  lab.remove();
});

test("hostile requests over TLS are answered as in clear text, on both versions of HTTP", async () => {
  const tally = createTally();
  const failures: Failure[] = [];
  const before = await lab.sample();
  const target = { host: lab.host, port: lab.port, certificate };
  for (const kind of kinds) failures.push(...(await grind(kind, { target, tally, inFlight: 4 })));
  process.stdout.write(`over TLS, seed ${seed}: ${tally.table()}\n`);
  const { prototypes, uncaught, warnings } = await lab.sample();
  expect(failures.slice(0, 10)).toEqual([]);
  expect(tally.total).toBeGreaterThan(0.9 * total);
  expect([prototypes, uncaught, warnings, lab.faults()]).toEqual([before.prototypes, [], [], []]);
  expect(await lab.stop()).toBe(0);
});
