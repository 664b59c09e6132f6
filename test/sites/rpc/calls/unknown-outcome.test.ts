import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { create, fromBinary, type Message, toBinary } from "@bufbuild/protobuf";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import type { Call } from "../../../../src/kernel/base/call.ts";
import type { Database } from "../../../../src/kernel/base/database.ts";
import { Problem } from "../../../../src/kernel/base/problem.ts";
import { type AnswerStore, createAnswerStore } from "../../../../src/identity/idempotency/commands.ts";
import { createProjectCommands } from "../../../../src/identity/projects/commands.ts";
import { callConditionally } from "../../../../src/sites/rpc/calls/conditions/conditional-call.ts";
import { callAs, type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { projectSettings } from "../../../support/samples.ts";

// The connection to the database is lost while a call with an idempotency key is being committed.

const descriptor = ProjectService.method.addProject;
const unavailable = (reason: "OUTCOME_UNKNOWN" | "OVERLOADED") =>
  new Problem({ kind: "unavailable", reason, message: "the database is gone", retryAfterMs: 5000 });

let fixture: FeatureFixture;
let call: Call;
let answers: AnswerStore;
let write: Database["write"];
let replayed: string[];

beforeEach(async () => {
  fixture = await openFeatureFixture();
  call = callAs(await fixture.addOrganization(), { permission: "project.write" });
  answers = createAnswerStore(fixture.context);
  write = fixture.database.write;
  replayed = [];
});
afterEach(() => fixture.close());

function add(): Promise<Message> {
  const database = { ...fixture.database, write: ((fn, how) => write(fn, how)) as Database["write"] };
  const commands = createProjectCommands({ ...fixture.context, database });
  return callConditionally(answers, {
    descriptor,
    conditions: { idempotencyKey: "k", ifMatch: undefined, isDryRun: false },
    call,
    request: create(descriptor.input, { name: "x" }),
    organizationId: undefined,
    problem: undefined,
    run: async (one) => {
      const { id } = await commands.add(one, projectSettings({ name: "x" }));
      return create(descriptor.output, { id });
    },
    answerHeader: (name) => replayed.push(name),
  });
}

/** Loses the answer to the commit, after or before it has happened. */
const lose =
  (hasHappened: boolean): Database["write"] =>
  async (fn, how) => {
    if (hasHappened) await fixture.database.write(fn, how);
    throw unavailable("OUTCOME_UNKNOWN");
  };

test("a call that has happened is answered with what it made", async () => {
  write = lose(true);
  const answer = await add();
  expect(replayed).toEqual(["idempotency-replayed"]);
  write = fixture.database.write;
  expect(await add()).toEqual(fromBinary(descriptor.output, toBinary(descriptor.output, answer as never)));
});

test("a call that may have happened says so, and its repeat is made", async () => {
  write = lose(false);
  await expect(add()).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN", retryAfterMs: 5000 });
  write = fixture.database.write;
  expect(await add()).toMatchObject({ id: expect.any(String) });
  expect(replayed).toEqual([]);
});

test("a call whose answer cannot be looked for says that it may have happened", async () => {
  write = lose(true);
  const { find } = answers;
  let looks = 0;
  answers = {
    ...answers,
    find: async (asked) => (++looks === 1 ? await find(asked) : Promise.reject(unavailable("OVERLOADED"))),
  };
  await expect(add()).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
});
