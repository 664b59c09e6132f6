import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { lanes, type Outcome } from "../support/clients.ts";
import { answerOf, refusalOf } from "../support/service.ts";
import { createProject, createWorld, idOf, type World } from "../support/world.ts";
import { type Lab, startLabWithWorld } from "./support/lab.ts";
import { hostileTexts } from "./support/requests.ts";

let lab: Lab;
let world: World;
let pageToken: string;
beforeAll(async () => {
  ({ lab, world } = await startLabWithWorld());
  await createProject(lab, world.organizationId);
  pageToken = idOf(answerOf(await list({ pageSize: 1 })), "nextPageToken");
});
afterAll(() => lab.discard());

async function list(
  request: { pageSize?: number; pageToken?: string; name?: string; countTotal?: boolean },
  index = 1,
  token = world.owner.token,
): Promise<Outcome> {
  return await lab.clients[lanes[index % lanes.length] ?? "json"].call(
    ProjectService.method.listProjects,
    request,
    { token },
  );
}

test("a page token is taken as it is, and with no byte of it changed", async () => {
  expect((await list({ pageSize: 1, pageToken })).kind).toBe("answer");
  const changed = Array.from(pageToken).flatMap((character, at) => {
    const others = [character === "A" ? "B" : "A", character === "_" ? "-" : "_", "=", ""];
    return others.map((other) => pageToken.slice(0, at) + other + pageToken.slice(at + 1));
  });
  const bits = Array.from(pageToken).map((_character, at) => {
    const bytes = Buffer.from(pageToken, "base64url");
    const bit = at % (bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return bytes.toString("base64url");
  });
  const forms = [
    `${pageToken}A`,
    ` ${pageToken}`,
    `${pageToken}=`,
    pageToken.toLowerCase(),

    "%00",
    "💥",
  ];
  const outcomes = await Promise.all(
    [...changed, ...bits, ...forms].map((each, at) => list({ pageSize: 1, pageToken: each }, at)),
  );
  const refused = outcomes.map((outcome) =>
    outcome.kind === "answer" ? "answer" : refusalOf(outcome).reason,
  );
  expect(new Set(refused)).toEqual(new Set(["PAGE_TOKEN_INVALID"]));
});

test("a page token belongs to its organization, its rpc and its filters", async () => {
  const other = await createWorld(lab);
  const foreign = await list({ pageToken }, 1, other.owner.token);
  const filtered = await list({ pageToken, name: "a" });
  const users = await lab.clients.json.call(
    UserService.method.listSecondFactors,
    { userId: world.userId, pageToken },
    { token: world.owner.token },
  );
  expect([foreign, filtered, users].map((outcome) => refusalOf(outcome).reason)).toEqual([
    "PAGE_TOKEN_INVALID",
    "PAGE_TOKEN_INVALID",
    "PAGE_TOKEN_INVALID",
  ]);
});

test.each([
  "%",
  "_",
  "*",
  "?",
  "[a-z]",
  "\\",
  "'",
  "' OR '1'='1",
  "x' UNION SELECT 1 --",
  ...new Set(hostileTexts),
])("a filter with %j is a plain text, or refused for what it is", async (name) => {
  for (const [index] of lanes.entries()) {
    const outcome = await list({ name, countTotal: true }, index);
    const found = outcome.kind === "answer" ? (outcome.json["projects"] as { name: string }[]) : [];
    expect(
      name === "" || found.every((project) => project.name.toUpperCase().includes(name.toUpperCase())),
    ).toBe(true);
    expect(outcome.kind === "answer" ? "FIELD_INVALID" : refusalOf(outcome).reason).toBe("FIELD_INVALID");
  }
  expect(lab.faults()).toEqual([]);
});
