// Who has which roles in random worlds, at instants around the ends: everything that tells of it says the same.
import { create } from "@bufbuild/protobuf";
import { type Timestamp, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, expect, test } from "@jest/globals";
import * as fc from "fast-check";
import { decodeJwt } from "jose";
import { AccessService } from "../../../gen/gatehouse/v1/access_service_pb.ts";
import { GroupService } from "../../../gen/gatehouse/v1/group_service_pb.ts";
import { OidcTokenType } from "../../../gen/gatehouse/v1/oidc_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { addScriptedParty, openSignedIn } from "../saml/support/scripted-party.ts";
import { startService } from "../../support/service.ts";
import { sized } from "../../support/size.ts";
import { createCaller, createHumanUser, createProject, idOf, uniqueName } from "../../support/world.ts";
import { createApplication } from "./support/application.ts";
import { createLoginPlace } from "./support/login-place.ts";
import { postForm } from "./support/machine.ts";
import { credentialsOf, getTokens, signIn } from "./support/signed-in.ts";

const service = await startService();
afterAll(() => service.stop());

const { organizationId } = await createLoginPlace(service);
const roleKeys = ["direct", "lent", "shared"];
const projectId = await createProject(service, organizationId, roleKeys);
const place = { organizationId, projectId };
const inside = createCaller(service, organizationId);
const partner = idOf(
  await service.call(OrganizationService.method.addOrganization, { name: uniqueName("Partner") }),
  "organizationId",
);
const byPartner = createCaller(service, partner);
const { updateUserGrant, addUserGrant } = UserGrantService.method;
const groups = GroupService.method;
await inside(ProjectService.method.updateProject, {
  id: projectId,
  name: uniqueName("Project"),
  projectRoleAssertion: true,
});

const userId = await createHumanUser(service, organizationId);
const lent = { projectId, grantedOrganizationId: partner, roleKeys: ["lent"] };
const projectGrantId = idOf(await inside(ProjectService.method.addProjectGrant, lent), "grantId");
const direct = { userId, projectId, roleKeys: ["direct"] };
const directId = idOf(await inside(addUserGrant, direct), "userGrantId");
const byGrant = { userId, projectId, projectGrantId, roleKeys: ["lent"] };
const byGrantId = idOf(await byPartner(addUserGrant, byGrant), "userGrantId");
const [inner, outer] = [await addGroup(), await addGroup()];
const shared = { groupId: outer, projectId, roleKeys: ["shared"] };
const sharedId = idOf(await inside(groups.addGroupGrant, shared), "groupGrantId");

const opaque = await createApplication(service, place);
const jwt = await createApplication(service, place, {
  accessTokenType: OidcTokenType.JWT,
  accessTokenRoleAssertion: true,
});
const party = await addScriptedParty(service, place);
const browser = await signIn(service, userId);
const agent = await openSignedIn(service, userId);
const scope = "openid groups";
const { accessToken } = await getTokens(service, opaque, { browser, scope });

async function addGroup(): Promise<string> {
  return idOf(await inside(groups.addGroup, { name: uniqueName("Group") }), "id");
}

/** When a right is in effect, in microseconds from now. Absent: without a start, or an end. */
interface Time {
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** Rights of the user. Undefined: the user is not in the group. */
interface Drawn {
  readonly direct: Time;
  readonly byGrant: Time;
  readonly lent: Time;
  readonly shared: Time;
  readonly inInner: Time | undefined;
  readonly inOuter: Time | undefined;
  readonly isNested: boolean;
  readonly isActive: boolean;
}

const offset = fc.constantFrom(undefined, -1, 0, 1, 999, 1000, 1001, 90_000_000);
const time = fc
  .record({ start: offset, end: offset })
  .filter(({ start = -2, end = Infinity }) => start < end);
const drawn: fc.Arbitrary<Drawn> = fc.record({
  direct: time,
  byGrant: time,
  lent: time,
  shared: time,
  inInner: fc.option(time, { nil: undefined }),
  inOuter: fc.option(time, { nil: undefined, freq: 1 }),
  isNested: fc.boolean(),
  isActive: fc.boolean(),
});

const isIn = ({ start = -Infinity, end = Infinity }: Time, now: number) => start <= now && now < end;

/** The plain model: the roles that the user has so many microseconds after the world was made. */
function rolesOf(world: Drawn, now: number): readonly string[] {
  const hasInner = world.isNested && world.inInner !== undefined && isIn(world.inInner, now);
  const hasOuter = world.inOuter !== undefined && isIn(world.inOuter, now);
  return [
    ...(world.isActive && isIn(world.direct, now) ? ["direct"] : []),
    ...(isIn(world.byGrant, now) && isIn(world.lent, now) ? ["lent"] : []),
    ...(isIn(world.shared, now) && (hasInner || hasOuter) ? ["shared"] : []),
  ];
}

function at(micros: number): Timestamp {
  const total = BigInt(service.clock.nowMs()) * 1000n + BigInt(micros);
  return create(TimestampSchema, { seconds: total / 1_000_000n, nanos: Number(total % 1_000_000n) * 1000 });
}

const datesOf = ({ start, end }: Time) => ({
  ...(start === undefined ? {} : { startDate: at(start) }),
  ...(end === undefined ? {} : { endDate: at(end) }),
});
const changeOf = (period: Time) => ({
  ...datesOf(period),
  removeStartDate: period.start === undefined,
  removeEndDate: period.end === undefined,
});

async function putMember(groupId: string, period: Time | undefined): Promise<void> {
  const member = { groupId, userIds: [userId] };
  await inside(groups.removeGroupMembers, member);
  if (period !== undefined) await inside(groups.addGroupMembers, { ...member, ...datesOf(period) });
}

async function put(world: Drawn): Promise<void> {
  await inside(updateUserGrant, { ...direct, grantId: directId, ...changeOf(world.direct) });
  const { deactivateUserGrant, reactivateUserGrant } = UserGrantService.method;
  const turn = world.isActive ? reactivateUserGrant : deactivateUserGrant;
  await inside(turn, { userId, grantId: directId });
  await byPartner(updateUserGrant, { ...byGrant, grantId: byGrantId, ...changeOf(world.byGrant) });
  const ofProject = { ...lent, grantId: projectGrantId, ...changeOf(world.lent) };
  await inside(ProjectService.method.updateProjectGrant, ofProject);
  await inside(groups.updateGroupGrant, { ...shared, grantId: sharedId, ...changeOf(world.shared) });
  const nesting = { groupId: outer, groupIds: [inner] };
  await inside(world.isNested ? groups.addGroupMembers : groups.removeGroupMembers, nesting);
  await putMember(inner, world.inInner);
  await putMember(outer, world.inOuter);
}

/** Asks everything that tells which roles the user has now, in their order. */
async function read() {
  const { effectiveRoles } = await inside(UserGrantService.method.listEffectiveRoles, { userId, projectId });
  const listed = (effectiveRoles ?? []) as unknown as readonly { readonly roleKeys: readonly string[] }[];
  const explained = await Promise.all(
    roleKeys.map(async (roleKey) => {
      const question = { case: "role", value: { projectId, roleKey } } as const;
      const { allowed } = await inside(AccessService.method.explainAccess, { userId, question });
      return allowed === true ? [roleKey] : [];
    }),
  );
  const asked = { token: accessToken, ...credentialsOf(opaque) };
  const introspected = await postForm(service, "/oauth/v2/introspect", asked);
  const told = await postForm(service, "/oidc/v1/userinfo", { access_token: accessToken });
  const tokens = await getTokens(service, jwt, { browser, scope });
  const claims = decodeJwt(tokens.accessToken);
  const { assertion } = party.read(await party.ask(agent));
  const roles = {
    listed: listed.flatMap((each) => each.roleKeys),
    explained: explained.flat(),
    introspected: groupsIn(JSON.parse(introspected.text)),
    told: groupsIn(JSON.parse(told.text)),
    jwt: groupsIn({ groups: claims["groups"] }),
    saml: assertion?.attributes["Roles"] ?? [],
  };
  const sorted = Object.entries(roles).map(([name, keys]) => [name, [...keys].toSorted()] as const);
  return { roles: Object.fromEntries(sorted), expirationMs: Number(claims.exp) * 1000 };
}

function groupsIn({ groups: keys }: { readonly groups?: unknown }): readonly string[] {
  return (keys as readonly string[] | undefined) ?? [];
}

test("roles, explanations, tokens, introspection, userinfo and SAML agree at every instant, at the microsecond (G2)", async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (world) => {
      await put(world);
      const madeMs = service.clock.nowMs();
      for (const turnedMs of [0, 1]) {
        service.clock.turn(turnedMs);
        const expected = rolesOf(world, turnedMs * 1000);
        const { roles, expirationMs } = await read();
        for (const told of Object.values(roles)) expect(told).toEqual(expected);
        // At the end of the JWT, which is a second, the user still has all roles in it.
        const lastMs = Math.max(Math.min(expirationMs, madeMs + 100_000) - 1, madeMs + turnedMs);
        expect(rolesOf(world, (lastMs - madeMs) * 1000)).toEqual(expect.arrayContaining([...expected]));
      }
    }),
    { numRuns: sized({ small: 15, full: 300 }) },
  );
});
