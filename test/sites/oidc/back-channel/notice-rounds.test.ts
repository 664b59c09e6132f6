import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import pino from "pino";
import { type InstanceId, toId } from "../../../../src/kernel/base/ids.ts";
import { claimMs } from "../../../../src/identity/protocol-state/logout-notices/logout-notice.ts";
import { claimNotice } from "../../../../src/identity/protocol-state/logout-notices/repository.ts";
import { createSigningKeyCommands } from "../../../../src/identity/signing-keys/commands.ts";
import { createOwnTokens, type OwnTokens } from "../../../../src/identity/signing-keys/jwt.ts";
import type { LogoutPost } from "../../../../src/sites/oidc/back-channel/deliver-notice.ts";
import type { OutboxRounds } from "../../../../src/identity/outbox-sender.ts";
import { createNoticeRounds } from "../../../../src/sites/oidc/back-channel/notice-rounds.ts";
import { eventually } from "../../../kernel/http/support/sockets.ts";
import { type FeatureFixture, openFeatureFixture } from "../../../support/feature-fixture.ts";
import { layLogoutGround, type LogoutGround } from "../../../support/logout-ground.ts";
import { largeTest } from "../../../support/large.ts";

let fixture: FeatureFixture;
let ground: LogoutGround;
let hosts: Hosts;
let ownTokens: OwnTokens;
let log: string;
let started: OutboxRounds[];
beforeEach(async () => {
  fixture = await openFeatureFixture();
  ground = await layLogoutGround(fixture);
  hosts = createHosts();
  ownTokens = createOwnTokens(createSigningKeyCommands(fixture.context, toId<InstanceId>("1")));
  log = "";
  started = [];
});
afterEach(async () => {
  hosts.release();
  for (const rounds of started) await rounds.stop(Promise.resolve());
  await fixture.close();
});

/** A process that sends notices. */
function start(parts: Partial<Parameters<typeof createNoticeRounds>[0]> = {}): OutboxRounds {
  const rounds = createNoticeRounds({
    context: fixture.context,
    ownTokens,
    fetcher: hosts,
    logger: pino({ level: "debug" }, { write: (line: string) => (log += line) }),
    issuer: () => "https://id.example",
    onError: (error) => {
      throw error;
    },
    ...parts,
  });
  started.push(rounds);
  return rounds;
}

const never = new Promise<never>(() => {});
const waiting = async () => (await ground.rowsOf("logout_notices")).length;
const causesOfDropped = async () => {
  const rows = await fixture.database.read((tx) =>
    tx.all<{ payload: string }>(
      "SELECT payload FROM events WHERE type = 'application.logout_token.dropped' ORDER BY sequence",
    ),
  );
  return rows.map(({ payload }) => (JSON.parse(payload) as { readonly cause: string }).cause);
};

describe("a host that does not answer", () => {
  test("has four tries under way at most, and nobody else waits for it", async () => {
    const slow = await ground.addApplication("https://slow.example/");
    const alike = await ground.addApplication("https://slow.example:444/other");
    const quick = await ground.addApplication("https://quick.example/");
    await ground.endSessions(9, slow, alike, quick);
    hosts.hold("slow.example");
    const rounds = start();
    rounds.look();
    await eventually(
      () => hosts.sentTo("quick.example").length === 9 && hosts.underWay("slow.example") === 4,
    );
    await eventually(async () => (await waiting()) === 18);
    expect(hosts.sentTo("slow.example")).toHaveLength(4);
    hosts.release();
    await eventually(async () => (await waiting()) === 0);
    expect(hosts.most("slow.example")).toBe(4);
    const ids = hosts.sentTo("slow.example").map(({ token }) => decodeJwt(token).jti);
    expect([ids.length, new Set(ids).size]).toEqual([18, 18]);
  });

  largeTest(
    "does not give its organization more than 16 places, whatever number of hosts it has",
    async () => {
      const mine = [];
      for (let index = 0; index < 6; index++)
        mine.push(await ground.addApplication(`https://slow-${index}.example/`));
      await ground.endSessions(4, ...mine);
      const others = await layLogoutGround(fixture);
      const quick = await others.addApplication("https://quick.example/");
      await others.end(await others.logIn(quick));
      for (let index = 0; index < 6; index++) hosts.hold(`slow-${index}.example`);
      const rounds = start();
      rounds.look();
      await eventually(async () => hosts.sent.length === 17 && (await waiting()) === 24);
      rounds.look();
      await rounds.stop(Promise.resolve());
      expect([hosts.sentTo("quick.example").length, hosts.sent.length]).toEqual([1, 17]);
    },
  );
});

describe("several processes", () => {
  largeTest("send each notice once", async () => {
    const applications = [];
    for (let index = 0; index < 5; index++)
      applications.push(await ground.addApplication(`https://app-${index}.example/`));
    await ground.endSessions(4, ...applications);
    for (const rounds of [start(), start(), start()]) rounds.look();
    await eventually(async () => (await waiting()) === 0);
    const ids = hosts.sent.map(({ token }) => decodeJwt(token).jti);
    expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
    expect(await causesOfDropped()).toEqual([]);
  });

  test("take over what a dead one has claimed, once it must be dead; it has sent the same jti", async () => {
    const application = await ground.addApplication("https://app.example/");
    const session = await ground.logIn(application);
    await ground.end(session);
    const untilMs = fixture.clock.nowMs() + claimMs;
    const [notice] = await ground.rowsOf("logout_notices");
    await fixture.database.write(async (tx) => notice && claimNotice(tx, notice, untilMs));
    fixture.clock.turn(claimMs - 1);
    const early = start();
    early.look();
    await early.stop(never);
    expect([hosts.sent, early.isDue()]).toEqual([[], false]);
    fixture.clock.turn(1);
    expect(early.isDue()).toBe(true); // it has learned of the instant by its look
    start().look();
    await eventually(async () => (await waiting()) === 0);
    expect(hosts.sent.map(({ token }) => decodeJwt(token).jti)).toEqual([`${session.id}-${application}`]);
  });

  test("give up a notice whose last try has died", async () => {
    await ground.endSessions(1, await ground.addApplication("https://app.example/"));
    await fixture.database.write((tx) => tx.run("UPDATE logout_notices SET tries = 3"));
    start().look();
    await eventually(async () => (await waiting()) === 0);
    expect(hosts.sent).toEqual([]);
    expect(log).toContain("logout_token.dropped");
    expect(await causesOfDropped()).toEqual(["process_ended"]);
  });

  test("send nothing after they were held up for so long that another one may send it", async () => {
    await ground.endSessions(1, await ground.addApplication("https://app.example/"));
    const slowly: OwnTokens = {
      ...ownTokens,
      sign(claims, how) {
        fixture.clock.turn(25_001); // and 5 s for the try, and two minutes that the other clock may be ahead
        return ownTokens.sign(claims, how);
      },
    };
    start({ ownTokens: slowly }).look();
    await eventually(() => log.includes("logout_token.not_delivered"));
    expect(hosts.sent).toEqual([]);
  });
});

test.each([
  ["an address that may not be asked", { kind: "forbidden" }, "forbidden"],
  ["no answer", { kind: "unreachable" }, "unreachable"],
  ["another status", { kind: "answered", status: 500 }, "refused"],
] as const)("the last try leaves an event with the cause: %s", async (_name, outcome, cause) => {
  await ground.endSessions(1, await ground.addApplication("https://app.example/"));
  const fetcher: LogoutPost = { post: () => Promise.resolve(outcome) };
  const rounds = start({ fetcher });
  rounds.look();
  for (const pauseMs of [10_000, 60_000]) {
    const nextMs = fixture.clock.nowMs() + pauseMs;
    await eventually(async () => (await ground.rowsOf("logout_notices"))[0]?.nextMs === nextMs);
    expect(await causesOfDropped()).toEqual([]);
    fixture.clock.turn(pauseMs);
    rounds.look();
  }
  await eventually(async () => (await waiting()) === 0);
  expect(await causesOfDropped()).toEqual([cause]);
});

describe("a stop", () => {
  test("waits for tries under way, and begins no other", async () => {
    await ground.endSessions(5, await ground.addApplication("https://app.example/"));
    hosts.hold("app.example");
    const rounds = start();
    rounds.look();
    await eventually(() => hosts.underWay("app.example") === 4);
    const stopped = rounds.stop(never);
    rounds.look();
    hosts.release();
    await stopped;
    expect(await waiting()).toBe(1);
  });

  test("breaks off what lasts too long, and leaves it to a later process", async () => {
    await ground.endSessions(1, await ground.addApplication("https://app.example/"));
    hosts.hold("app.example");
    const rounds = start();
    rounds.look();
    await eventually(() => hosts.underWay("app.example") === 1);
    await rounds.stop(Promise.resolve());
    const left = { tries: 1, nextMs: fixture.clock.nowMs() + claimMs };
    expect(await ground.rowsOf("logout_notices")).toMatchObject([left]);
  });
});

test("nothing is sent without an issuer: it waits, and the log says so once", async () => {
  const applicationId = await ground.addApplication("https://app.example/");
  const lookOnce = async (rounds: OutboxRounds) => {
    rounds.look();
    await rounds.stop(never);
  };
  await lookOnce(start({ issuer: () => undefined }));
  expect(log).toBe("");
  await ground.endSessions(1, applicationId);
  const rounds = start({ issuer: () => undefined });
  rounds.look();
  await eventually(() => log !== "");
  await lookOnce(rounds);
  expect([hosts.sent, await waiting()]).toEqual([[], 1]);
  expect(log.match(/logout_token\.no_issuer/g)).toHaveLength(1);
});

/** The hosts of applications, without a network. */
interface Hosts extends LogoutPost {
  readonly sent: { readonly host: string; readonly token: string }[];
  sentTo(host: string): Hosts["sent"];
  /** Requests that wait for their answer, and the most that ever did. */
  underWay(host: string): number;
  most(host: string): number;
  /** Lets requests to the host wait from now on, until the release of all. */
  hold(host: string): void;
  release(): void;
}

function createHosts(): Hosts {
  const sent: Hosts["sent"] = [];
  const held = new Set<string>();
  const counts = new Map<string, { now: number; most: number }>();
  const countOf = (host: string) => {
    const count = counts.get(host) ?? { now: 0, most: 0 };
    counts.set(host, count);
    return count;
  };
  let released = Promise.withResolvers<void>();
  return {
    sent,
    sentTo: (host) => sent.filter((each) => each.host === host),
    underWay: (host) => countOf(host).now,
    most: (host) => countOf(host).most,
    hold: (host) => void held.add(host),
    release() {
      held.clear();
      released.resolve();
      released = Promise.withResolvers<void>();
    },
    async post(url, fields, { signal }) {
      const { hostname: host } = new URL(url);
      sent.push({ host, token: fields["logout_token"] ?? "" });
      const count = countOf(host);
      count.now += 1;
      count.most = Math.max(count.most, count.now);
      const aborted = Promise.withResolvers<never>();
      aborted.promise.catch(() => {});
      signal.addEventListener("abort", () => aborted.reject(signal.reason));
      try {
        if (held.has(host)) await Promise.race([released.promise, aborted.promise]);
        else await new Promise(setImmediate);
      } finally {
        count.now -= 1;
      }
      return { kind: "answered", status: 200 };
    },
  };
}
