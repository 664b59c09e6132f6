import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../gen/gatehouse/v1/user_service_pb.ts";
import { usePlaces } from "../process/support/place.ts";
import { sized } from "../support/size.ts";
import { jwtConfig, samlMetadata, uniqueName } from "../support/world.ts";
import { createLeanClient, type LeanClient, type LeanLane, leanLanes } from "./support/lean-lanes.ts";

// What a call has made, the next call sees: over another connection, on another content type, while others write. Each
// kind of object is made in turn; lists are filtered by what is unique to it, so that they stay short.

const createCount = sized({ small: 300, full: 10_000 });
const workerCount = 8;

const newPlace = usePlaces();
let client: LeanClient;
let token: string;
beforeAll(async () => {
  const place = newPlace();
  client = createLeanClient((await place.serve()).url);
  token = place.adminToken();
});
afterAll(() => client.close());

/** A call and what it asks for. */
interface Asked<M extends DescMethodUnary = DescMethodUnary> {
  readonly method: M;
  readonly request: MessageInitShape<M["input"]>;
}

/** Calls whose answers must hold the text `shown`. */
interface Made {
  readonly shown: string;
  readonly reads: readonly Asked[];
}

/** What a worker has made last, for what hangs on it. */
interface Last {
  /** The organization acted on. */
  organizationId: string;
  humanId: string;
  serviceUserId: string;
  projectId: string;
}

/** Makes an object of its kind by one call of `create`. */
type Kind = (
  create: <M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
  ) => Promise<MessageShape<M["output"]>>,
  last: Last,
) => Promise<Made>;

/** In an order in which each finds what it needs. */
const kinds: readonly (readonly [name: string, Kind])[] = [
  [
    "organization",
    async (create) => {
      const name = uniqueName("Fresh");
      const { addOrganization, getOrganization, listOrganizations } = OrganizationService.method;
      const id = (await create(addOrganization, { name })).organizationId;
      return { shown: id, reads: [ask(getOrganization, { id }), ask(listOrganizations, { name })] };
    },
  ],
  [
    "human user",
    async (create, last) => {
      const username = uniqueName("fresh");
      const profile = { givenName: "Ada", familyName: "Lovelace", email: `${counter()}@example.com` };
      const added = await create(UserService.method.addHumanUser, { username, ...profile });
      last.humanId = added.userId;
      return seenUser(last.humanId, username, profile.email);
    },
  ],
  [
    "service user",
    async (create, last) => {
      const username = uniqueName("fresh");
      const added = await create(UserService.method.addServiceUser, { username, name: "Fresh" });
      last.serviceUserId = added.userId;
      return seenUser(last.serviceUserId, username, username);
    },
  ],
  [
    "membership",
    async (create, { organizationId, serviceUserId: userId }) => {
      const { addMembership, listMemberships } = MembershipService.method;
      const scope = { case: "organizationId", value: organizationId } as const;
      const added = await create(addMembership, { userId, scope, roles: ["ORGANIZATION_VIEWER"] });
      return { shown: added.membershipId, reads: [ask(listMemberships, { userId })] };
    },
  ],
  [
    "project",
    async (create, last) => {
      const name = uniqueName("Fresh");
      const { addProject, getProject, listProjects } = ProjectService.method;
      const id = (await create(addProject, { name })).id;
      last.projectId = id;
      return { shown: id, reads: [ask(getProject, { id }), ask(listProjects, { name })] };
    },
  ],
  [
    "user grant",
    async (create, { projectId, humanId: userId }) => {
      const { addUserGrant, getUserGrant, listUserGrants } = UserGrantService.method;
      const added = await create(addUserGrant, { userId, projectId });
      const grantId = added.userGrantId;
      return {
        shown: grantId,
        reads: [ask(getUserGrant, { userId, grantId }), ask(listUserGrants, { userId })],
      };
    },
  ],
  [
    "application",
    async (create, { projectId }) => {
      const name = uniqueName("Fresh");
      const { createSamlApplication, getApplication, listApplications } = ApplicationService.method;
      const metadataXml = samlMetadata(`https://sp.example.com/fresh/${counter()}`);
      const appId = (await create(createSamlApplication, { projectId, name, metadataXml })).appId;
      return {
        shown: appId,
        reads: [ask(getApplication, { projectId, appId }), ask(listApplications, { projectId, name })],
      };
    },
  ],
  ["JWT identity provider", (create) => createProvider(create, { case: "jwt", value: jwtConfig })],
];

test("each of 10,000 new objects is there for the next call, on any other content type", async () => {
  const missed: string[] = [];
  const made = Object.fromEntries(kinds.map(([name]) => [name, 0]));
  let started = 0;
  const work = async (worker: number) => {
    const last = { ...nothing };
    const turns = laneTurns(worker);
    const { addOrganization } = OrganizationService.method;
    const organization = await call(
      "application/json",
      last,
      ask(addOrganization, { name: uniqueName("Worker") }),
    );
    last.organizationId = organization.decode().organizationId;
    for (let turn = 0; started < createCount; turn++) {
      started += 1;
      const [name, kind] = at(kinds, turn);
      missed.push(...(await createAndRead(kind, last, at(turns, turn))).map((read) => `${name}: ${read}`));
      made[name] = (made[name] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: workerCount }, (_, worker) => work(worker)));
  expect(missed).toEqual([]);
  expect(Object.values(made).reduce((sum, count) => sum + count)).toBe(createCount);
  expect(Math.min(...Object.values(made))).toBeGreaterThan(createCount / kinds.length / 2);
}, 180_000);

const nothing = {
  organizationId: "",
  humanId: "",
  serviceUserId: "",
  projectId: "",
};

/** A lane to write on, and the two others to read on. */
type LaneTurn = readonly [LeanLane, LeanLane, LeanLane];

/** Every worker begins at another one, so that every kind is written and read on every lane. */
function laneTurns(worker: number): readonly LaneTurn[] {
  const turns = leanLanes.flatMap((write): readonly LaneTurn[] => {
    const [one, other] = leanLanes.filter((lane) => lane !== write);
    return one === undefined || other === undefined
      ? []
      : [
          [write, one, other],
          [write, other, one],
        ];
  });
  return [...turns.slice(worker % turns.length), ...turns.slice(0, worker % turns.length)];
}

/** Makes an object on one lane and reads it on the others. Returns the reads that did not show it. */
async function createAndRead(
  kind: Kind,
  last: Last,
  [write, ...others]: LaneTurn,
): Promise<readonly string[]> {
  const { shown, reads } = await kind(
    async (method, request) => (await call(write, last, { method, request })).decode(),
    last,
  );
  const missed = await Promise.all(
    reads.map(async (read, index) => {
      const lane = at(others, index);
      const { bytes } = await call(lane, last, read);
      return bytes.includes(shown) ? [] : [`${write}, then ${read.method.name} on ${lane}: no ${shown}`];
    }),
  );
  return missed.flat();
}

function call<M extends DescMethodUnary>(lane: LeanLane, last: Last, asked: Asked<M>) {
  const { organizationId } = last;
  return client.call(lane, asked.method, asked.request, {
    authorization: `Bearer ${token}`,
    ...(organizationId === "" ? {} : { "x-service-orgid": organizationId }),
  });
}

/** Returns the item of a list that starts again at its end. */
function at<T>(items: readonly T[], index: number): T {
  return items[index % items.length] as T; // within its length
}

function ask<M extends DescMethodUnary>(method: M, request: MessageInitShape<M["input"]>): Asked<M> {
  return { method, request };
}

function seenUser(userId: string, username: string, shown: string): Made {
  const { getUser, listUsers } = UserService.method;
  return { shown, reads: [ask(getUser, { userId }), ask(listUsers, { username })] };
}

async function createProvider(
  create: Parameters<Kind>[0],
  config: MessageInitShape<typeof IdentityProviderService.method.createIdentityProvider.input>["config"],
): Promise<Made> {
  const name = uniqueName("Fresh");
  const { createIdentityProvider, getIdentityProvider, listIdentityProviders } =
    IdentityProviderService.method;
  const idpId = (await create(createIdentityProvider, { name, config })).idpId;
  return {
    shown: idpId,
    reads: [ask(getIdentityProvider, { idpId }), ask(listIdentityProviders, { name })],
  };
}

let counted = 0;

function counter(): number {
  counted += 1;
  return counted;
}
