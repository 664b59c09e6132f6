// What many requests at once to the path of gateways do: to the login, to the provider and to others.
import { afterAll, expect, test } from "@jest/globals";
import { sized } from "../../../support/size.ts";
import { type GatewayTrip, headerName, startJwtStage } from "./support/jwt-stage.ts";

const count = sized({ small: 60, full: 1000 });
const stage = await startJwtStage();
afterAll(() => stage.stop());

const forward = async ({ path }: Pick<GatewayTrip, "path">, token: string) =>
  await stage.service.http.send({ method: "GET", path, headers: { host: "gateway", [headerName]: token } });

/** Counts how often each answer came. */
const countBy = (answers: readonly string[]) =>
  Object.fromEntries(
    Object.entries(Object.groupBy(answers, (each) => each)).map(([key, all = []]) => [key, all.length]),
  );

test("a handle that comes many times at once logs in once", async () => {
  await stage.linkPerson("ada");
  const browser = stage.browser();
  const url = await stage.handleUrl(await stage.begin(browser), stage.gateway.logIn("ada"));
  const cookies = new Map(browser.cookies);
  const send = async () => {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const { pathname, search } = new URL(url);
    const headers = { host: `localhost:${stage.service.port}`, cookie };
    const answer = await stage.service.http.send({ method: "GET", path: `${pathname}${search}`, headers });
    return answer.headers.get("location")?.includes("code=") === true ? "in" : "out";
  };
  const answers = await Promise.all(Array.from({ length: count }, send));
  expect(countBy(answers)).toEqual({ in: 1, out: count - 1 });
});

test("JWTs that come many at once to one login are one identity", async () => {
  await stage.handleUrl(await stage.begin(stage.browser()), stage.gateway.logIn("reader")); // reads the keys
  const trip = await stage.begin(stage.browser());
  const tokens = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      stage.gateway.sign("ada", { claims: { jti: String(index) } }),
    ),
  );
  const answers = await Promise.all(tokens.map(async (token) => String((await forward(trip, token)).status)));
  // Of one address only so many wait at once; the others are asked to come later.
  const { "303": taken, "400": refused = 0, "503": busy = 0, ...others } = countBy(answers);
  expect([taken, refused + busy, others]).toEqual([1, count - 1, {}]);
});

test("JWTs of unknown keys make the keys be read once, and strangers make nothing be read or stored", async () => {
  const trip = await stage.begin(stage.browser(), await stage.addProvider());
  const before = stage.gateway.keyReads();
  const unknown = (index: number) => stage.gateway.sign("ada", { header: { kid: `unknown ${index}` } });
  const tokens = await Promise.all(Array.from({ length: count }, (_, index) => unknown(index)));
  const mine = await Promise.all(tokens.map(async (token) => (await forward(trip, token)).status));
  // Of one organization only so many wait for keys; the others are asked to come later.
  expect([400, 503]).toEqual(expect.arrayContaining([...new Set(mine)]));
  expect(mine).toContain(400);
  expect(stage.gateway.keyReads() - before).toBeLessThanOrEqual(2);
  const stored = async () => (await stage.service.place.raw.peek("SELECT 1 FROM jwt_logins")).length;
  const rows = await stored();
  const guesses = tokens.map(async (token, index) => {
    const userAgentId = Buffer.alloc(32, index).toString("base64url");
    const path = trip.path.replace(/userAgentID=.*/, `userAgentID=${userAgentId}`);
    return (await forward({ path }, token)).status;
  });
  expect(new Set(await Promise.all(guesses))).toEqual(new Set([400]));
  expect(await stored()).toBe(rows);
  expect(stage.gateway.keyReads() - before).toBeLessThanOrEqual(2);
});
