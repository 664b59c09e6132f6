import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { OidcMappingField, StylingType } from "../../gen/gatehouse/v1/identity_provider_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { PrivateLabelingSetting } from "../../gen/gatehouse/v1/project_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import type { CallOptions } from "../support/clients.ts";
import { answerOf, startService, type TestService } from "../support/service.ts";
import { createCaller, createProject, createWorld, idOf, uniqueName, type World } from "../support/world.ts";
import { type Call, type EveryLane, everyLane, laneAt, openLanes } from "./support/lanes.ts";
import { type Operation, operations, setStage, type Stage } from "./support/stage.ts";
import { send } from "./support/wire.ts";
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

describe("an update that changes nothing", () => {
  const updates = operations.filter(({ effect }) => effect === "updates");

  test.each(updates.map((operation) => [operation.method.name, operation] as const))(
    "%s answers the stored details on every lane, and records nothing",
    async (_name, operation) => {
      const stage = await setStage(service, away);
      const first = answerOf(await perform("rest", operation, stage));
      service.clock.turn(60_000);
      const repeated: JsonObject[] = [];
      for (const lane of everyLane) repeated.push(answerOf(await perform(lane, operation, stage)));
      expect(repeated).toEqual(everyLane.map(() => first));
      expect(await operation.read(service, stage, first)).toEqual(first["details"]);
    },
  );
});

describe("x-service-orgid", () => {
  // The operations take turns on the lanes: in which header a lane has the organization is the same for all of them.
  test("is read by the operations that list it and by no other", async () => {
    const stage = await setStage(service, home.organizationId);
    const outcomes: Record<string, unknown> = {};
    for (const [index, operation] of operations.entries()) {
      const headers = { "x-service-orgid": away };
      const outcome = await callOn[laneAt(index)](operation.method, operation.request(stage), {
        token: home.owner.token,
        headers,
      });
      outcomes[operation.method.name] =
        outcome.kind === "answer"
          ? (outcome.json["details"] as JsonObject)["resourceOwner"]
          : outcome.status.code;
    }
    expect(outcomes).toEqual(
      Object.fromEntries(
        operations.map(({ method, readsHeader }) => [method.name, readsHeader ? 7 : home.organizationId]),
      ),
    );
  });

  test("may be left out: the caller's own organization is acted on", async () => {
    const stage = await setStage(service, home.organizationId);
    for (const [index, operation] of operations.entries()) {
      const outcome = await callOn[laneAt(index)](operation.method, operation.request(stage), {
        token: home.owner.token,
      });
      const { resourceOwner } = answerOf(outcome)["details"] as JsonObject;
      expect([operation.method.name, resourceOwner]).toEqual([operation.method.name, home.organizationId]);
    }
  });
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

  test("says so in the initial metadata of gRPC, for errors too", async () => {
    const path = "/gatehouse.v1.IdentityProviderService/AddJwtIdentityProvider";
    for (const request of [{ path }, { path, token: "" }, { path, body: Uint8Array.of(0xff) }]) {
      for (const protocol of ["grpc", "grpc-web", "json"] as const) {
        const { headers, status } = await send(service, protocol, request);
        expect(status?.code).toBe(request.token === "" ? 16 : 3);
        expect(marks(headers)).toEqual(deprecation);
      }
    }
  });
});

describe("what an operation stores", () => {
  test("UpdateProject replaces every setting: what is absent is off afterwards", async () => {
    const inside = createCaller(service, away);
    const id = await createProject(service, away);
    const { updateProject, getProject } = ProjectService.method;
    const settings = {
      projectRoleAssertion: true,
      projectRoleCheck: true,
      hasProjectCheck: true,
      privateLabelingSetting: PrivateLabelingSetting.ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY,
    };
    await inside(updateProject, { id, name: `All ${id}`, ...settings });
    expect((await inside(getProject, { id }))["project"]).toMatchObject({
      name: `All ${id}`,
      ...settings,
      privateLabelingSetting: "PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY",
    });
    await inside(updateProject, { id, name: `None ${id}` });
    expect((await inside(getProject, { id }))["project"]).toMatchObject({
      name: `None ${id}`,
      projectRoleAssertion: false,
      projectRoleCheck: false,
      hasProjectCheck: false,
      privateLabelingSetting: "PRIVATE_LABELING_SETTING_UNSPECIFIED",
    });
  });

  test("UpdateJwtIdentityProvider replaces its four fields, an empty header name included, and leaves the rest", async () => {
    const inside = createCaller(service, away);
    const { createIdentityProvider, updateJwtIdentityProvider, getIdentityProvider } =
      IdentityProviderService.method;
    const name = uniqueName("Kept");
    const audiences = ["one", "two"];
    const added = await inside(createIdentityProvider, {
      name,
      stylingType: 1,
      autoRegister: true,
      config: {
        case: "jwt",
        value: {
          jwtEndpoint: "https://a.example/jwt",
          issuer: "a",
          keysEndpoint: "https://a.example/keys",
          headerName: "x-a",
          audiences,
        },
      },
    });
    const idpId = idOf(added, "idpId");
    const jwt = { jwtEndpoint: "http://b", issuer: "b", keysEndpoint: "http://c", headerName: "" };
    await inside(updateJwtIdentityProvider, { idpId, ...jwt });
    expect((await inside(getIdentityProvider, { idpId }))["identityProvider"]).toMatchObject({
      name,
      stylingType: "STYLING_TYPE_GOOGLE",
      autoRegister: true,
      jwt: { ...jwt, audiences },
    });
  });

  test("VerifyPhone and VerifyU2f make the phone verified and the factor ready", async () => {
    const stage = await setStage(service, away);
    const { userId } = stage;
    const isVerified = async () => {
      const { user } = await service.call(UserService.method.getUser, { userId });
      const { human } = user as { human: JsonObject };
      const { secondFactors } = await service.call(UserService.method.listSecondFactors, { userId });
      return [
        human["isPhoneVerified"],
        (secondFactors as JsonObject[]).map(({ state, name }) => [state, name]),
      ];
    };
    expect(await isVerified()).toEqual([false, [["SECOND_FACTOR_STATE_NOT_READY", ""]]]);
    for (const operation of operations.filter(({ effect }) => effect === "verifies"))
      answerOf(await perform("grpc-web", operation, stage));
    expect(await isVerified()).toEqual([true, [["SECOND_FACTOR_STATE_READY", "Software key"]]]);
  });

  test("AddOidcIdentityProvider keeps the client secret: no answer and no file has it", async () => {
    const { addOidcIdentityProvider, getIdentityProvider } = IdentityProviderService.method;
    const clientSecret = uniqueName("canary-of-a-secret");
    const request = {
      name: uniqueName("OIDC"),
      stylingType: StylingType.GOOGLE,
      clientId: "client",
      clientSecret,
      issuer: "https://accounts.example.com",
      scopes: ["openid", "email"],
      displayNameMapping: OidcMappingField.PREFERRED_USERNAME,
      usernameMapping: OidcMappingField.EMAIL,
      autoRegister: true,
    };
    const inside = createCaller(service, away);
    const added = await inside(addOidcIdentityProvider, request);
    const read = await inside(getIdentityProvider, { idpId: idOf(added, "idpId") });
    expect(read["identityProvider"]).toEqual({
      id: added["idpId"],
      details: added["details"],
      state: "IDENTITY_PROVIDER_STATE_ACTIVE",
      name: request.name,
      stylingType: "STYLING_TYPE_GOOGLE",
      autoRegister: true,
      oidc: {
        clientId: "client",
        issuer: request.issuer,
        scopes: ["openid", "email"],
        displayNameMapping: "OIDC_MAPPING_FIELD_PREFERRED_USERNAME",
        usernameMapping: "OIDC_MAPPING_FIELD_EMAIL",
      },
    });
    const bytes = await service.place.bytes();
    expect(bytes.includes(request.name)).toBe(true);
    expect(bytes.includes(clientSecret)).toBe(false);
  });
});
