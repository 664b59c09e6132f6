import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { lanes, toRequest } from "../support/clients.ts";
import { answerOf, startService, type TestService } from "../support/service.ts";
import { setMetadataOfAll } from "./support/metadata-of-all.ts";
import { type Cell, expectationOf } from "./support/tenancy-expectation.ts";
import { nameOf } from "./support/tenancy-matrix.ts";
import { headersOf, requestOf, targetOf } from "./support/tenancy-requests.ts";
import {
  type CallerFacts,
  callers,
  holdsOn,
  openingOf,
  type OrganizationName,
  type PlaceName,
  placeNames,
  places,
} from "./support/tenancy-roles.ts";
import { listMatrixRpcs, type MatrixRpc, readsHeader } from "./support/tenancy-rpcs.ts";
import { createTenancyWorld, type Objects, type TenancyWorld } from "./support/tenancy-world.ts";
import { openWatch } from "./support/watch.ts";

// What a list shows to whom, and what its total counts. Each list must be in the table below, else its test fails.

const rpcs = (await listMatrixRpcs()).filter(({ method }) => method.name.startsWith("List"));
const there = placeNames.filter((place) => places[place].isThere);
const organizations = ["hq", "ours", "theirs", "grantor", "partner"] as const;

let service: TestService;
let world: TenancyWorld;

beforeAll(async () => {
  service = await startService();
  world = await createTenancyWorld(service);
  for (const place of there) await setMetadata(place);
});

afterAll(() => service.stop());

/** Everything at a place has a key of its own, with the name of the place. */
async function setMetadata(place: PlaceName): Promise<void> {
  const { user: userId, project: projectId, application: appId, group: groupId } = world.objects[place];
  const organizationId = world.organizations[places[place].organization];
  await setMetadataOfAll(service, { organizationId, userId, projectId, appId, groupId }, place);
}

interface Asked {
  readonly caller: CallerFacts;
  readonly acting: OrganizationName;
  /** Of the path. */
  readonly place: PlaceName;
  readonly permission: string;
}

interface ListFacts {
  /** The field of an item that tells which of the known objects it is. */
  readonly key: string;
  /** The ids of the known objects, by a name. */
  known(): Readonly<Record<string, string>>;
  /** The names of those that the caller sees. */
  seen(asked: Asked): readonly string[];
}

const idsOf = (kind: keyof Objects) => () =>
  Object.fromEntries(there.map((place) => [place, world.objects[place][kind]]));
const inPlaces = (kind: keyof Objects, isSeen: (place: PlaceName, asked: Asked) => boolean): ListFacts => ({
  key: kind === "role" ? "key" : "id",
  known: idsOf(kind),
  seen: (asked) => there.filter((place) => isSeen(place, asked)),
});
const ofPath = (kind: keyof Objects) => inPlaces(kind, (place, asked) => place === asked.place);

const metadata = (isSeen: (place: PlaceName, asked: Asked) => boolean): ListFacts => ({
  ...inPlaces("user", isSeen),
  key: "key",
  known: () => Object.fromEntries(there.map((place) => [place, place])),
});

/** Says whether what belongs to a project, or to a project grant, is open. */
function isOpen(
  { caller, acting, permission }: Asked,
  place: PlaceName,
  by: "project" | "projectGrant",
): boolean {
  const opening = openingOf(caller, permission, acting);
  if (opening === "all") return true;
  return opening !== undefined && by in opening && Object.values(opening).includes(place);
}

const isOfActing = (place: PlaceName, { acting }: Asked) => places[place].organization === acting;
const lists: Readonly<Record<string, ListFacts>> = {
  ListOrganizations: {
    key: "id",
    known: () => Object.fromEntries(organizations.map((name) => [name, world.organizations[name]])),
    seen: ({ caller, permission }) =>
      organizations.filter((organization) =>
        holdsOn(caller, permission, { kind: "organization", organization }),
      ),
  },
  ListMemberships: {
    key: "id",
    known: () =>
      Object.fromEntries(
        there.flatMap((place) =>
          (["organization", "project", "project_grant"] as const).map((kind) => [
            `${place} ${kind}`,
            world.objects[place][`${kind}_membership`],
          ]),
        ),
      ),
    seen: ({ caller, permission }) =>
      there.flatMap((place) => {
        const { organization, grantedTo } = places[place];
        return [
          { kind: "organization", organization } as const,
          { kind: "project", organization, place } as const,
          { kind: "project_grant", organization: grantedTo, place } as const,
        ]
          .filter((scope) => holdsOn(caller, permission, scope))
          .map(({ kind }) => `${place} ${kind}`);
      }),
  },
  ListUsers: inPlaces("user", isOfActing),
  ListIdentityProviders: inPlaces("identity_provider", isOfActing),
  ListTargets: inPlaces("target", isOfActing),
  ListHooks: inPlaces("hook", isOfActing),
  ListDeliveries: { ...ofPath("delivery"), key: "eventSequence" },
  ListProjects: inPlaces(
    "project",
    (place, asked) => places[place].organization === asked.acting && isOpen(asked, place, "project"),
  ),
  ListGrantedProjects: inPlaces(
    "project_grant",
    (place, asked) => places[place].grantedTo === asked.acting && isOpen(asked, place, "projectGrant"),
  ),
  ListUserGrants: inPlaces(
    "user_grant",
    (place, asked) =>
      places[place].giver === asked.acting &&
      isOpen(asked, place, place === "granted" ? "projectGrant" : "project"),
  ),
  ListGroupGrants: inPlaces(
    "group_grant",
    (place, asked) =>
      places[place].giver === asked.acting &&
      isOpen(asked, place, place === "granted" ? "projectGrant" : "project"),
  ),
  ListGroups: inPlaces("group", isOfActing),
  ListGroupMembers: { ...ofPath("user"), key: "userId" },
  ListProjectRoles: ofPath("role"),
  ListProjectGrants: ofPath("project_grant"),
  ListApplications: ofPath("application"),
  ListApplicationKeys: ofPath("application_key"),
  ListSecondFactors: ofPath("second_factor"),
  ListPasskeys: ofPath("passkey"),
  ListPersonalAccessTokens: ofPath("personal_access_token"),
  ListServiceUserKeys: ofPath("key"),
  ListRefreshTokens: ofPath("refresh_token"),
  ListIdpLinks: { ...ofPath("idp_link"), key: "externalUserId" },
  ListLoginPolicyIdps: {
    ...inPlaces("login_policy_idp", isOfActing),
    key: "idpId",
  },
  ListUserMetadata: metadata((place, asked) => place === asked.place),
  ListOrganizationMetadata: metadata(
    (place, asked) => places[place].organization === places[asked.place].organization,
  ),
  ListProjectMetadata: metadata((place, asked) => place === asked.place),
  ListApplicationMetadata: metadata((place, asked) => place === asked.place),
  ListGroupMetadata: metadata((place, asked) => place === asked.place),
  // Whoever lacks the permission sees their own, and has none.
  ListSessions: inPlaces(
    "session",
    (place, { acting, caller, permission }) =>
      places[place].organization === acting &&
      holdsOn(caller, permission, { kind: "organization", organization: acting }),
  ),
  // The users of the path hold none; who holds some is asked about below.
  ListEffectiveRoles: { ...ofPath("project"), key: "projectId", seen: () => [] },
  // They belong to no organization; there are none yet.
  ListSigningKeys: { key: "id", known: () => ({}), seen: () => [] },
  ListEvents: {
    key: "resourceOwner",
    known: () => Object.fromEntries(organizations.map((name) => [name, world.organizations[name]])),
    seen: ({ caller, permission, acting }) =>
      acting === caller.home
        ? organizations.filter((organization) =>
            holdsOn(caller, permission, { kind: "organization", organization }),
          )
        : [acting],
  },
};

/** Calls until there is no further page, and returns all items and the total. */
async function readAll(
  rpc: MatrixRpc,
  asked: { readonly caller: CallerFacts; readonly request: JsonObject; readonly on?: OrganizationName },
) {
  const items: JsonObject[] = [];
  let pageToken = "";
  let total: JsonValue | undefined;
  do {
    const answer = answerOf(
      await service.clients.json.call(
        rpc.method,
        toRequest(rpc.method, { ...asked.request, pageSize: 1000, pageToken, countTotal: true }),
        { token: world.users.get(asked.caller.name)?.token, headers: headersOf(world, asked.on) },
      ),
    );
    const field = rpc.method.output.fields.find(({ fieldKind }) => fieldKind === "list");
    items.push(...(answer[field?.jsonName ?? ""] as JsonObject[])); // every list has one
    total ??= (answer["details"] as JsonObject)["totalResult"];
    pageToken = answer["nextPageToken"] as string; // a text, may be empty
  } while (pageToken !== "");
  return { items, total };
}

describe("a list shows what the caller may see, and counts no more:", () => {
  test.each(rpcs.map((rpc) => [rpc.name, rpc] as const))("%s", async (name, rpc) => {
    const facts = lists[name];
    if (facts === undefined) throw new Error(`write down what ${name} shows`);
    const known = Object.entries(facts.known());
    const cells = callers
      .flatMap((caller) =>
        (readsHeader(rpc) ? [false, true] : [false]).flatMap((isNamed) =>
          there.map((place): Cell => ({ caller, parent: place, leaf: place, isNamed })),
        ),
      )
      .filter((cell) => expectationOf(rpc, cell) === "allowed");
    const expected: Record<string, unknown> = {};
    const seen: Record<string, unknown> = {};
    for (const cell of cells) {
      const { caller, parent: place, isNamed } = cell;
      const { organization } = places[place];
      const acting = isNamed ? organization : caller.home;
      const request = requestOf(rpc, targetOf(world, cell));
      const { items, total } = await readAll(rpc, { caller, request, ...(isNamed ? { on: acting } : {}) });
      const shown = new Set(items.map((item) => item[facts.key]));
      const names = facts.seen({ caller, acting, place, permission: rpc.rule.permission });
      expected[nameOf(cell)] = [names.toSorted(), String(items.length)];
      seen[nameOf(cell)] = [
        known
          .filter(([, id]) => shown.has(id))
          .map(([each]) => each)
          .toSorted(),
        total,
      ];
    }
    expect(cells.length).toBeGreaterThan(4);
    expect(seen).toEqual(expected);
  });

  test("ListEffectiveRoles, of who holds some", async () => {
    const rpc = rpcs.find(({ name }) => name === "ListEffectiveRoles");
    if (rpc === undefined) throw new Error("there is no such list");
    const { permission } = rpc.rule;
    const isSeen = (caller: CallerFacts, place: PlaceName): boolean => {
      const { organization, giver } = places[place];
      const asked = { caller, acting: caller.home, permission, place };
      const opening = openingOf(caller, permission, caller.home);
      if (opening !== "all") return isOpen(asked, place, place === "granted" ? "projectGrant" : "project");
      const isHeldOnGiver = holdsOn(caller, permission, { kind: "organization", organization: giver });
      return [giver, organization].includes(caller.home) || isHeldOnGiver;
    };
    const expected: Record<string, unknown> = {};
    const seen: Record<string, unknown> = {};
    for (const caller of callers.filter(({ held }) => held !== undefined)) {
      for (const place of there) {
        const { giver } = places[place];
        const isUserInReach =
          giver === caller.home ||
          holdsOn(caller, "user.read", { kind: "organization", organization: giver });
        if (openingOf(caller, permission, caller.home) === undefined) continue;
        const outcome = await service.clients.json.call(
          rpc.method,
          toRequest(rpc.method, { userId: world.objects[place].grant_user }),
          { token: world.users.get(caller.name)?.token },
        );
        const name = `${caller.name}: ${place}`;
        expected[name] = isSeen(caller, place)
          ? [world.objects[place].project]
          : isUserInReach
            ? []
            : "NOT_FOUND";
        seen[name] =
          outcome.kind === "error"
            ? outcome.status.details[0]?.["reason"]
            : (outcome.json["effectiveRoles"] as JsonObject[]).map((role) => role["projectId"]);
      }
    }
    expect(Object.keys(seen).length).toBeGreaterThan(20);
    expect(seen).toEqual(expected);
  });
});

describe("the total is absent unless it was asked for:", () => {
  const onLanes = rpcs.map((rpc, index) => [rpc.name, rpc, lanes[index % lanes.length] ?? "json"] as const);

  test.each(onLanes)("%s", async (_, rpc, lane) => {
    const cell = callers
      .flatMap((caller) =>
        there.map((place): Cell => ({ caller, parent: place, leaf: place, isNamed: false })),
      )
      .find((each) => expectationOf(rpc, each) === "allowed");
    if (cell === undefined) throw new Error("nobody may read it");
    const request = requestOf(rpc, targetOf(world, cell));
    const options = { token: world.users.get(cell.caller.name)?.token };
    const totals: unknown[] = [];
    for (const countTotal of [false, true]) {
      const asked = toRequest(rpc.method, { ...request, countTotal });
      const { details } = answerOf(await service.clients[lane].call(rpc.method, asked, options));
      totals.push((details as JsonObject)["totalResult"]);
    }
    expect(totals).toEqual([undefined, expect.stringMatching(/^\d+$/)]);
  });
});

describe("a filter that names what the caller cannot see", () => {
  const filters: readonly (readonly [rpc: string, field: string, kind: keyof Objects])[] = [
    ["ListMemberships", "userId", "grantee"],
    ["ListMemberships", "organizationId", "organization"],
    ["ListMemberships", "projectId", "project"],
    ["ListMemberships", "projectGrantId", "project_grant"],
    ["ListUserGrants", "userId", "grant_user"],
    ["ListUserGrants", "projectId", "project"],
    ["ListUserGrants", "roleKey", "role"],
    ["ListEffectiveRoles", "projectId", "project"],
    ["ListEffectiveRoles", "organizationId", "organization"],
    ["ListEvents", "aggregateId", "project"],
  ];

  test.each(filters)("in %s by %s shows what one that names nothing shows", async (name, field, kind) => {
    const rpc = rpcs.find((each) => each.name === name);
    if (rpc === undefined) throw new Error(`there is no ${name}`);
    const ask = (caller: CallerFacts, place: PlaceName, on: OrganizationName) => {
      const { grant_user: userId } = world.objects[on === "theirs" ? "other" : "own"];
      const filter = { [field]: world.objects[place][kind] };
      const request = name === "ListEffectiveRoles" ? { userId, ...filter } : filter;
      return readAll(rpc, { caller, on, request });
    };
    const owner = callerNamed("organization owner");
    const nothing = { items: [], total: "0" };
    expect([await ask(owner, "other", "ours"), await ask(owner, "never", "ours")]).toEqual([
      nothing,
      nothing,
    ]);
    const { items } = await ask(callerNamed("instance owner"), "other", "theirs");
    expect(items).not.toEqual([]);
  });
});

describe("WatchEvents", () => {
  const permission = "event.read";

  /** Opens a watch from the beginning; when it is let in, returns whose the first events are. */
  async function watch(caller: CallerFacts, on?: OrganizationName): Promise<unknown> {
    const token = world.users.get(caller.name)?.token ?? "";
    const header = on === undefined ? {} : { on: world.organizations[on] };
    const opened = openWatch("grpc", service.url, { afterSequence: 0n }, { token, ...header });
    const letIn = opened.until((events) => events.length >= 10).then(() => true);
    const refused = opened.ended.then(({ reason }) => reason);
    const answer = await Promise.race([letIn, refused]);
    await letIn.catch(() => undefined); // `answer` says why
    opened.cancel();
    await opened.ended;
    if (answer !== true) return answer;
    const owners = new Set(opened.events.map(({ resourceOwner }) => resourceOwner));
    return Object.entries(world.organizations)
      .filter(([, id]) => owners.has(id))
      .map(([name]) => name);
  }

  const mayRead = (caller: CallerFacts, organization: OrganizationName) =>
    holdsOn(caller, permission, { kind: "organization", organization });
  const named = callers.map((caller) => [caller.name, caller] as const);

  test.each(named)("shows the %s an organization only if they may read its events", async (_name, caller) => {
    for (const organization of ["ours", "theirs", "grantor"] as const)
      expect([organization, await watch(caller, organization)]).toEqual([
        organization,
        mayRead(caller, organization) ? [organization] : "PERMISSION_DENIED",
      ]);
  });

  test.each(named.filter(([, { home }]) => home !== "hq"))(
    "shows the %s their organization, or nothing",
    async (_name, caller) => {
      expect(await watch(caller)).toEqual(mayRead(caller, caller.home) ? [caller.home] : "PERMISSION_DENIED");
    },
  );

  test("shows an instance owner more than one organization", async () =>
    expect(await watch(callerNamed("instance owner"))).toContain("instance"));
});

function callerNamed(name: string): CallerFacts {
  const caller = callers.find((each) => each.name === name);
  if (caller !== undefined) return caller;
  throw new Error(`there is no ${name}`);
}
