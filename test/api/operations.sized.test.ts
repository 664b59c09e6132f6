import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { CallOptions } from "../support/clients.ts";
import { answerOf, startService, type TestService } from "../support/service.ts";
import { createWorld, idOf, uniqueName, type World } from "../support/world.ts";
import { type Call, type EveryLane, everyLane, openLanes } from "./support/lanes.ts";
import { type Operation, operations, setStage, type Stage } from "./support/stage.ts";
import { sized } from "../support/size.ts";

let service: TestService;
let callOn: Readonly<Record<EveryLane, Call>>;
/** The caller belongs to `home` and acts on `away`. */
let home: World;
let away: string;
beforeAll(async () => {
  service = await startService();
  callOn = openLanes(service);
  home = await createWorld(service);
  const added = await service.call(OrganizationService.method.addOrganization, {
    name: uniqueName("Elsewhere"),
  });
  away = idOf(added, "organizationId");
});
afterAll(() => service.stop());

/** The administrator belongs to the organization "Default". */
async function defaultOrganizationId(): Promise<string> {
  const { user } = await service.call(UserService.method.getMyUser, {});
  return idOf((user as JsonObject)["details"] as JsonObject, "resourceOwner");
}

async function perform(lane: EveryLane, operation: Operation, stage: Stage) {
  const options: CallOptions = {
    token: service.adminToken,
    headers: { "x-service-orgid": stage.organizationId },
  };
  return await callOn[lane](operation.method, operation.request(stage), options);
}

function sequenceOf(details: JsonObject): bigint {
  return BigInt(idOf(details, "sequence"));
}

/** Returns an RFC 3339 instant in microseconds since 1970. */
function toMicros(date: unknown): bigint {
  const [, seconds = "", fraction = ""] = /^(.{19})(?:\.(\d{3}|\d{6}))?Z$/.exec(String(date)) ?? [];
  return BigInt(Date.parse(`${seconds}Z`)) * 1000n + BigInt(fraction.padEnd(6, "0"));
}

/** Returns the date that stands where, measured against the sequence of the answer. */
function describeDetails({ sequence, creationDate, changeDate, resourceOwner }: JsonObject) {
  const last = typeof sequence === "string" ? BigInt(sequence) : undefined;
  const created = creationDate === undefined ? undefined : toMicros(creationDate);
  return {
    sequence: typeof sequence,
    changeDate: toMicros(changeDate) === last ? "that of the sequence" : changeDate,
    creationDate:
      created === undefined
        ? "absent"
        : created === last
          ? "that of the sequence"
          : "earlier than the sequence",
    resourceOwner,
  };
}

const creationDates = {
  creates: "that of the sequence",
  updates: "earlier than the sequence",
  verifies: "absent",
} as const;

describe.each(operations.map((operation) => [operation.method.name, operation] as const))(
  "%s",
  (_name, operation) => {
    test.each(sized({ small: everyLane.slice(0, 2), full: [...everyLane] }))(
      "answers over %s what interface.md lists, and nothing else",
      async (lane) => {
        const stage = await setStage(service, away);
        const owner =
          operation.method.name === "AddJwtIdentityProvider" ? await defaultOrganizationId() : away;
        const answer = answerOf(await perform(lane, operation, stage));
        expect(Object.keys(answer).toSorted()).toEqual(["details", ...operation.alsoAnswers].toSorted());
        const details = answer["details"] as JsonObject;
        expect(Object.keys(details).filter((key) => key !== "creationDate")).toEqual([
          "sequence",
          "changeDate",
          "resourceOwner",
        ]);
        expect(describeDetails(details)).toEqual({
          sequence: "string",
          changeDate: "that of the sequence",
          creationDate: creationDates[operation.effect],
          resourceOwner: owner,
        });
      },
    );

    test("answers what a read answers afterwards: the sequence of the last event, the date of the first", async () => {
      const stage = await setStage(service, away);
      const answer = answerOf(await perform("grpc", operation, stage));
      const read = await operation.read(service, stage, answer);
      // The two verifications leave the creation date out; the read has it.
      expect(read).toEqual({ creationDate: read["creationDate"], ...(answer["details"] as JsonObject) });
      expect(toMicros(read["creationDate"])).toBeGreaterThan(0n);
    });

    test("is recorded with the time of the service's clock", async () => {
      const stage = await setStage(service, away);
      service.clock.turn(60_000);
      const nowMicros = BigInt(service.clock.nowMs()) * 1000n;
      const answer = answerOf(await perform("json", operation, stage));
      const sequence = sequenceOf(answer["details"] as JsonObject);
      expect(sequence - nowMicros).toBeGreaterThanOrEqual(0n);
      expect(sequence - nowMicros).toBeLessThan(1000n);
    });
  },
);

test("every event has a larger sequence than those before it, whatever the lane and the object", async () => {
  const sequences: bigint[] = [];
  for (const lane of everyLane) {
    const stage = await setStage(service, away);
    for (const operation of operations) {
      const answer = answerOf(await perform(lane, operation, stage));
      sequences.push(sequenceOf(answer["details"] as JsonObject));
    }
  }
  expect(sequences).toHaveLength(everyLane.length * operations.length);
  expect(sequences).toEqual([...new Set(sequences)].toSorted((one, other) => (one < other ? -1 : 1)));
});

describe("a deprecated operation", () => {
  const deprecation = { deprecation: "@1767225600", link: '</v1/idps>; rel="successor-version"' };
  const notDeprecated = { deprecation: null, link: null };
  const marks = (headers: Headers) => ({
    deprecation: headers.get("deprecation"),
    link: headers.get("link"),
  });

  test.each(everyLane)("says so over %s, in answers and in errors; the other five do not", async (lane) => {
    const stage = await setStage(service, away);
    const { method: getProvider } = IdentityProviderService;
    const seen: Record<string, unknown[]> = {};
    for (const operation of operations) {
      const { method } = operation;
      const request = operation.request(stage);
      const outcomes = [
        await perform(lane, operation, stage),
        await callOn[lane](method, request, {}),
        await callOn[lane](method, request, { token: "gatehouse_pat_nonsense" }),
        await callOn[lane](method, request, { token: home.stranger.token }),
        await callOn[lane](method, { ...request, name: "" }, { token: service.adminToken }),
      ];
      seen[method.name] = outcomes.map(({ headers }) => marks(headers));
    }
    const three = new Set(["AddJwtIdentityProvider", "AddOidcIdentityProvider", "UpdateJwtIdentityProvider"]);
    expect(seen).toEqual(
      Object.fromEntries(
        operations.map(({ method }) => [
          method.name,
          Array.from({ length: 5 }, () => (three.has(method.name) ? deprecation : notDeprecated)),
        ]),
      ),
    );
    const read = await callOn[lane](getProvider.getIdentityProvider, { idpId: stage.idpId }, {});
    expect(marks(read.headers)).toEqual(notDeprecated);
  });
});
