import { describe, expect, test } from "@jest/globals";
import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { once } from "node:events";
import { join } from "node:path";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { createRandom } from "../hostile/support/random.ts";
import { type ErrorStatus, type Lane, lanes, type Outcome } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import type { ServingProcess } from "../support/process.ts";
import { idOf } from "../support/world.ts";
import { type Done, startKeyedLoad } from "./support/keyed-load.ts";
import { type ConnectedService, type Place, usePlaces, useServedPlaces } from "./support/place.ts";
import { openReadonly } from "./support/tables.ts";
import { sized } from "../support/size.ts";

const createPlace = useServedPlaces(usePlaces());
const dying = { program: join(import.meta.dirname, "support/serve-and-die.ts") };
const { addProject, getProject, removeProject, updateProject } = ProjectService.method;

interface Effect {
  readonly sequence: number;
  readonly type: string;
  readonly id: string;
  readonly payload: string;
}

/** Returns the events behind a sequence, in their order. */
function effectsAfter(place: Place, sequence: number): readonly Effect[] {
  const log = openReadonly(place.file("gatehouse.db"));
  try {
    const sql =
      "SELECT sequence, type, aggregate_id AS id, payload FROM events WHERE sequence > ? ORDER BY sequence";
    return log.prepare(sql).all(sequence) as Effect[]; // the columns of the statement
  } finally {
    log.close();
  }
}

function countAnswers(place: Place): number {
  const database = openReadonly(place.file("gatehouse.db"));
  try {
    return database.prepare("SELECT COUNT(*) FROM idempotent_answers").pluck().get() as number; // a count
  } finally {
    database.close();
  }
}

/** A change that is made again until it is answered. */
interface Change<M extends DescMethodUnary = DescMethodUnary> {
  readonly method: M;
  readonly request: MessageInitShape<M["input"]>;
  readonly headers: Readonly<Record<string, string>>;
}

const change = <M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
  headers: Readonly<Record<string, string>> = {},
): Change => ({ method, request, headers });

const call = (service: ConnectedService, lane: Lane, { method, request, headers }: Change, key: string) =>
  service.clients[lane].call(method, request, {
    token: service.adminToken,
    headers: { ...headers, "idempotency-key": key },
  });

/** The status that clients of gRPC make of a lost connection has no details; every error of the service has some. */
const detailsOf = (status: Partial<ErrorStatus>) => status.details?.length ?? 0;

/** Makes the call on a process that is killed by it. Fails when it is answered, also with an error of the service. */
async function beCutOff(serving: ServingProcess, outcome: Promise<Outcome>): Promise<void> {
  const ended = await outcome.then(
    (came) => (came.kind === "answer" ? "answered" : detailsOf(came.status)),
    () => "cut",
  );
  expect(["cut", 0]).toContain(ended);
  await serving.exited;
  expect(serving.child.signalCode).toBe("SIGKILL");
}

const addOne = async (service: ConnectedService) => {
  const added = await service.call(addProject, { name: "First" });
  const read = await service.call(getProject, { id: idOf(added, "id") });
  const details = (read["project"] as JsonObject)["details"] as JsonObject;
  return { id: idOf(added, "id"), sequence: Number(idOf(details, "sequence")) };
};

describe("a process that is killed", () => {
  test.each<
    readonly [
      what: string,
      lane: Lane,
      make: (first: { id: string; sequence: number }) => Change,
      type: string,
      reasonOfAnother: string,
    ]
  >([
    ["a creation", "json", () => change(addProject, { name: "Second" }), "project.added", "ALREADY_EXISTS"],
    [
      "an update with if-match",
      "grpc",
      ({ id, sequence }) => change(updateProject, { id, name: "Renamed" }, { "if-match": `"${sequence}"` }),
      "project.changed",
      "SEQUENCE_MISMATCH",
    ],
    ["a removal", "grpc-web", ({ id }) => change(removeProject, { id }), "project.removed", "NOT_FOUND"],
  ])(
    "before and after the commit of %s: one effect, and its answer for who asks again",
    async (_what, lane, make, type, reasonOfAnother) => {
      const place = await createPlace();
      const early = await place.serve([], { GATEHOUSE_TEST_DEATH: "before-commit" }, dying);
      const earlyService = place.connect(early);
      const first = await addOne(earlyService);
      const asked = make(first);
      await beCutOff(early, call(earlyService, lane, asked, "key"));
      expect(effectsAfter(place, first.sequence)).toEqual([]);
      expect(countAnswers(place)).toBe(0);

      const late = await place.serve([], {}, dying);
      await beCutOff(late, call(place.connect(late), lane, asked, "key"));
      const [effect, ...more] = effectsAfter(place, first.sequence);
      expect(effect).toMatchObject({ type });
      expect(more).toEqual([]);
      expect(countAnswers(place)).toBe(1);

      const service = place.connect(await place.serve());
      for (const other of lanes) {
        const outcome = await call(service, other, asked, "key");
        const { id, details } = answerOf(outcome);
        expect(outcome.headers.get("idempotency-replayed")).toBe("true");
        expect(idOf(details as JsonObject, "sequence")).toBe(String(effect?.sequence));
        // Only the answer of a creation names the object.
        expect(id ?? effect?.id).toBe(effect?.id);
      }
      expect(effectsAfter(place, first.sequence)).toEqual([effect]);
      // The same without its key meets what it has done before.
      expect(refusalOf(await call(service, lane, asked, "another key")).reason).toBe(reasonOfAnother);
      expect(effectsAfter(place, first.sequence)).toEqual([effect]);
    },
  );
});

const rounds = sized({ small: 4, full: 12 });

/** Starts a process that dies after a commit or before one, and in each fourth round one that somebody else has to kill. */
function serveUntilDeath(
  place: Place,
  { round, spared }: { readonly round: number; readonly spared: number },
) {
  const death = round % 4 === 1 ? "before-commit" : "after-commit";
  if (round % 4 === 3) return place.serve();
  return place.serve([], { GATEHOUSE_TEST_DEATH: death, GATEHOUSE_TEST_SPARED: String(spared) }, dying);
}

/** What the event of a call holds that no other event does. */
function markOf({ type, payload }: Effect): string {
  const { name, expiration_date: expires } = JSON.parse(payload) as {
    name?: string;
    expiration_date?: string;
  };
  return `${type} ${name ?? expires ?? ""}`;
}

const typeOf: Readonly<Record<Done["kind"], string>> = {
  "add project": "project.added",
  "rename project": "project.changed",
  "add token": "user.token.added",
};

test("16 clients who ask again through kills at any moment get one effect for each key", async () => {
  const place = await createPlace();
  const [lastBefore] = effectsAfter(place, 0).slice(-1);
  const admin = effectsAfter(place, 0).find(({ type }) => type === "user.added");
  const random = createRandom(6, 0);
  const load = startKeyedLoad({ clients: 16, token: place.adminToken(), userId: admin?.id ?? "" });
  for (let round = 0; round < rounds; round += 1) {
    const spared = random.below(40);
    const serving = await serveUntilDeath(place, { round, spared });
    load.serveFrom({ url: serving.url, over: serving.exited });
    if (round % 4 === 3) {
      await Promise.race([load.reach(load.done.length + 1 + spared), serving.exited]);
      serving.child.kill("SIGKILL");
    }
    await Promise.race([serving.exited, load.failed]);
  }
  const serving = await place.serve();
  load.serveFrom({ url: serving.url, over: once(serving.child, "exit") });
  await load.end();

  const effects = effectsAfter(place, lastBefore?.sequence ?? 0);
  const made = effects.map((effect) => `${markOf(effect)} ${effect.sequence}`);
  const told = load.done.map(
    ({ kind, mark, answer }) => `${typeOf[kind]} ${mark} ${answer.details.sequence}`,
  );
  expect(told.toSorted()).toEqual(made.toSorted());
  expect(new Set(effects.map(markOf)).size).toBe(effects.length);
  expect(countAnswers(place)).toBe(effects.length);
  const added = new Map(effects.map((effect) => [effect.sequence, effect.id]));
  for (const { answer } of load.done.filter(({ kind }) => kind === "add project"))
    expect(added.get(Number(answer.details.sequence))).toBe(answer.id);
  const replayed = load.done.filter(({ isReplayed }) => isReplayed).length;
  // Half of the processes have kept at least one answer that they did not give.
  expect(replayed).toBeGreaterThanOrEqual(rounds / 2);
}, 120_000);
