import { performance } from "node:perf_hooks";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ownCost, toSampleHash } from "../../src/identity/people/passwords/encoded-hash.ts";
import { findUserById } from "../../src/identity/people/user/repository.ts";
import { changeUserState } from "../../src/identity/people/user/user.ts";
import { putPasswordHash, removePasswordHash } from "../../src/identity/people/passwords/repository.ts";
import {
  type LoginStage,
  password,
  type Person,
  startLoginStage,
} from "../sites/login/support/login-stage.ts";

// Whoever guesses names learns nothing from a wrong login: not from its page, nor its pauses, nor the time that it takes.

/** Hashes of other systems, of nobody's password. */
const imported = {
  "bcrypt of cost 8": toSampleHash("$2b$08$"),
  "bcrypt of cost 10": toSampleHash("$2b$10$"),
  "argon2 of 64 MiB": toSampleHash("$argon2id$v=19$m=65536,t=1,p=1$"),
  PBKDF2: toSampleHash("$pbkdf2-sha256$i=100000,l=32$"),
  "SHA-crypt": toSampleHash("$sha512-crypt$rounds=5000$"),
  "phpass, wrapped": toSampleHash("$argon2id$v=19$m=19456,t=2,p=1$$of$phpass$ln=13$"),
};

let stage: LoginStage;
const names = new Map<string, string>();
beforeAll(async () => {
  stage = await startLoginStage("https", {}, ownCost); // as passwords cost people
  const [wrong, locked, inactive, without] = await Promise.all(
    Array.from({ length: 4 }, () => stage.addPerson(stage.owner)),
  );
  for (const [person, action] of [
    [locked, "lock"],
    [inactive, "deactivate"],
  ] as const) {
    const user = await stage.fixture.database.read((tx) => findUserById(tx, person?.id ?? ""));
    if (user !== undefined) await stage.fixture.record(...changeUserState(user, action));
  }
  await removePassword(without);
  const people: Record<string, Person | undefined> = { wrong, locked, inactive, "without password": without };
  for (const [kind, encoded] of Object.entries(imported)) {
    const person = await stage.addPerson(stage.owner);
    await stage.fixture.database.write((tx) => putPasswordHash(tx, person.id, encoded));
    people[kind] = person;
  }
  for (const [kind, person] of Object.entries(people)) names.set(kind, person?.username ?? "");
  const byAddress = await stage.addPerson(stage.owner);
  const phone = "+41791234567";
  const about = { aggregateId: byAddress.id, resourceOwner: stage.owner };
  const payload = { by: "sent_code" } as const;
  await stage.fixture.record(
    { ...about, type: "user.email.verified", payload },
    { ...about, type: "user.phone.set", payload: { phone } },
    { ...about, type: "user.phone.verified", payload },
  );
  names.set("wrong, by an email address", `${byAddress.username}@example.test`);
  names.set("wrong, by a phone", phone);
  names.set("unknown email address", `${"0".repeat(byAddress.username.length)}@example.test`);
  names.set("unknown phone", "+41791234568");
  names.set("unknown", `person-${"0".repeat(wrong?.username.length ?? 0)}`);
});
afterAll(() => stage.stop());

async function removePassword(person: Person | undefined): Promise<void> {
  if (person === undefined) return;
  await stage.fixture.database.write((tx) => removePasswordHash(tx, person.id));
  const about = { aggregateId: person.id, resourceOwner: stage.owner };
  await stage.fixture.record({ ...about, type: "user.password.removed", payload: {} });
}

/** Sends a password that lets nobody in: the right one where it is not the password that is wrong. */
async function send(kind: string, times = 1) {
  const browser = stage.browser();
  let page = await browser.open(stage.path());
  const isWrong = kind.startsWith("wrong") || kind in imported;
  const typed = { username: names.get(kind) ?? "", password: isWrong ? "wrong password" : password };
  let ms = 0;
  for (let count = 0; count < times; count += 1) {
    const begun = performance.now();
    page = await page.submit(typed);
    ms = performance.now() - begun;
  }
  browser.close();
  const shown = page.text
    .replaceAll(/value="[A-Za-z0-9_-]{43}"|\/login\/\d+/g, "")
    .replaceAll(typed.username, "");
  return { ms, answer: { status: page.status, retryAfter: page.headers.get("retry-after"), shown } };
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

test("unknown, locked and inactive users, those without a password, and wrong passwords, whatever is stored, look the same, and pause alike", async () => {
  for (const times of [1, 6]) {
    const answers: Awaited<ReturnType<typeof send>>["answer"][] = [];
    for (const kind of names.keys()) {
      stage.fixture.clock.turn(900_000);
      answers.push((await send(kind, times)).answer);
      await stage.fixture.database.write((tx) => tx.run("DELETE FROM tries", []));
    }
    expect(answers).toHaveLength(15);
    expect(answers).toEqual(answers.map(() => answers[0]));
    expect(answers[0]?.status).toBe(times === 1 ? 200 : 429);
  }
});

test("they take the same time: medians differ by less than 10 %", async () => {
  const rounds = 16;
  const perRound = 25;
  const samples = new Map<string, number[]>([...names.keys()].map((kind) => [kind, []]));
  let spread = Infinity;
  // A machine that does other things needs more samples; a difference that is there never goes away.
  for (let round = 0; round < rounds && spread >= 1.1; round += 1) {
    for (let index = 0; index < perRound; index += 1)
      for (const [kind, taken] of samples) {
        stage.fixture.clock.turn(900_000); // no pause, and no more than a few tries from the address
        taken.push((await send(kind)).ms);
      }
    const medians = [...samples.values()].map(median);
    spread = Math.max(...medians) / Math.min(...medians);
  }
  const shown = [...samples].map(([kind, taken]) => `${kind}: ${median(taken).toFixed(1)} ms`);
  process.stdout.write(`medians of ${samples.get("wrong")?.length}: ${shown.join(", ")}\n`);
  expect(spread).toBeLessThan(1.1);
});

test("neither does whoever asks for a link to set a password", async () => {
  const person = await stage.addPerson(stage.owner);
  const about = { aggregateId: person.id, resourceOwner: stage.owner };
  await stage.fixture.record({ ...about, type: "user.email.verified", payload: {} });
  const unverified = await stage.addPerson(stage.owner);
  const samples = new Map<string, number[]>(
    [person.username, unverified.username, `person-${"0".repeat(person.username.length)}`].map((name) => [
      name,
      [],
    ]),
  );
  const ask = async (username: string) => {
    const browser = stage.browser();
    const first = await browser.open(stage.path());
    const page = await browser.open(/href="(\/login\/\d+\/forgotten-password)"/.exec(first.text)?.[1] ?? "");
    await stage.mailer.idle(); // what the request before has sent takes none of the time of this one
    const begun = performance.now();
    const sent = await page.submit({ username });
    const ms = performance.now() - begun;
    browser.close();
    expect([sent.status, sent.title]).toEqual([200, "Check your email"]);
    return ms;
  };
  let spread = Infinity;
  for (let round = 0; round < 16 && spread >= 1.1; round += 1) {
    for (let index = 0; index < 25; index += 1)
      for (const [name, taken] of samples) {
        stage.fixture.clock.turn(3_600_000); // each of them could be mailed: 10 in 24 hours, with the turns of the others
        taken.push(await ask(name));
      }
    const medians = [...samples.values()].map(median);
    spread = Math.max(...medians) / Math.min(...medians);
  }
  await stage.mailer.idle();
  expect(stage.mails.length).toBeGreaterThanOrEqual(25);
  expect(spread).toBeLessThan(1.1);
});
