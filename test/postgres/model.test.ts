import { expect, test } from "@jest/globals";
import { runPart } from "../model/support/apart.ts";
import { sized } from "../support/size.ts";

// The tier `model` runs a thousand sequences on a data folder. Here a few show that the tables of PostgreSQL answer alike.
// GATEHOUSE_MODEL_SEED makes the same calls again.
test("answers, states, lists and rebuilt tables are those of a plain model", async () => {
  const seed = Number(process.env["GATEHOUSE_MODEL_SEED"] ?? Date.now() % 2 ** 31);
  const count = sized({ small: 4, full: 100 });
  process.stdout.write(`GATEHOUSE_MODEL_SEED=${seed}\n`);
  const ended = await runPart([seed, count, 0, 1]);
  const answered = ended.filter(([key]) => key.endsWith(" OK"));
  expect(answered.length).toBeGreaterThan(20);
}, 300_000);
