import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { roleHolds, type RoleName } from "../../api/support/tenancy-roles.ts";
import type { App, Place, World } from "./world.ts";

/** Where a permission holds. `organizationId` is the one that the project is of, or was granted to; empty for the instance. */
export interface Scope {
  readonly kind: "instance" | "organization" | "project" | "projectGrant";
  readonly id: string;
  readonly organizationId: string;
}

/** Somebody who tries to get more than they have. */
export interface Actor {
  readonly name: string;
  readonly place: Place;
  readonly userId: string;
  /** Empty: they make no calls. */
  readonly token: string;
  readonly rights: readonly { readonly role: RoleName; readonly scope: Scope }[];
  /** Runs the provider of organization a, and reads the mail of those who come by it. */
  readonly runsProvider: boolean;
  /** Gets the assertions for the service provider of SAML. */
  readonly runsPortal: boolean;
  /** The applications that they run: codes go to them, and they have the secrets. */
  readonly runs: readonly App[];
}

/** Says whether the rights of the actor have the permission there, on the scope itself or on one around it. */
export function holds({ rights }: Pick<Actor, "rights">, permission: string, scope: Scope): boolean {
  return rights.some(({ role, scope: outer }) => {
    if (!roleHolds(role, permission)) return false;
    if (outer.kind === "instance") return true;
    if (scope.kind === "instance") return false;
    if (outer.kind === "organization") return scope.organizationId === outer.id;
    return outer.kind === scope.kind && outer.id === scope.id;
  });
}

/** Returns the scope of an organization. */
export function wholeOf(organizationId: string): Scope {
  return { kind: "organization", id: organizationId, organizationId };
}

/** Makes a service user with a token for each set of rights, and one who has none and runs a provider. */
export async function createActors(world: World): Promise<readonly Actor[]> {
  const { organizations, projects, projectGrantId } = world;
  const { a, b } = organizations;
  const instance: Scope = { kind: "instance", id: "", organizationId: "" };
  const project = (id: string, organizationId: string): Scope => ({ kind: "project", id, organizationId });
  const granted: Scope = { kind: "projectGrant", id: projectGrantId, organizationId: b };
  const kinds: readonly (readonly [Place, RoleName | undefined, Scope | undefined])[] = [
    ["a", undefined, undefined],
    ["b", undefined, undefined],
    ["default", "INSTANCE_VIEWER", instance],
    ...(["a", "b"] as const).flatMap((place) =>
      (["ORGANIZATION_OWNER", "ORGANIZATION_USER_MANAGER", "ORGANIZATION_PROJECT_MANAGER"] as const).map(
        (role) => [place, role, wholeOf(organizations[place])] as const,
      ),
    ),
    ["default", "ORGANIZATION_OWNER", wholeOf(organizations.default)],
    ["a", "PROJECT_OWNER", project(projects.p, a)],
    ["a", "PROJECT_OWNER", project(projects.attic, a)],
    ["b", "PROJECT_OWNER", project(projects.q, b)],
    ["a", "PROJECT_OWNER", project(projects.q, b)],
    ["b", "PROJECT_GRANT_OWNER", granted],
  ];
  const made = await Promise.all(
    kinds.map(([place, role, scope]) => createActor(world, { place, role, scope })),
  );
  const operator = { place: "a", userId: "", token: "", rights: [], runs: [], runsPortal: false } as const;
  return [...made, { name: "whoever runs the provider of a", ...operator, runsProvider: true }];
}

async function createActor(
  world: World,
  { place, role, scope }: { place: Place; role: RoleName | undefined; scope: Scope | undefined },
): Promise<Actor> {
  const { ground, organizations, apps } = world;
  const { adminToken: token } = ground.service;
  const where = world.things.find(
    ({ ids }) => scope?.id !== "" && Object.values(ids).includes(scope?.id ?? "-"),
  );
  const held = role === undefined ? "no role" : `${role} on ${where?.name ?? "the instance"}`;
  const name = `a user of ${place} with ${held}`;
  const make = async (method: Parameters<typeof ground.call>[0], body: JsonObject) => {
    const answer = await ground.call(method, body, { token, organizationId: organizations[place] });
    if (!answer.isDone) throw new Error(`${method.name}: ${answer.reason}`);
    return answer.json as Record<string, string>; // only ids and a token are read
  };
  const { userId = "" } = await make(UserService.method.addServiceUser, { username: name, name });
  if (role !== undefined && scope !== undefined)
    await make(MembershipService.method.addMembership, { userId, ...toJson(scope), roles: [role] });
  const rights = role === undefined || scope === undefined ? [] : [{ role, scope }];
  const isTheirs = (app: App) =>
    holds({ rights }, "project.app.write", {
      kind: "project",
      id: app.projectId,
      organizationId: organizations[app.place],
    });
  const made = await make(UserService.method.addPersonalAccessToken, { userId });
  // Nobody but the instance runs an application that may call our API, unless it was put away.
  const runs = [apps.shop, apps.attic, apps.game].filter(isTheirs);
  return {
    name,
    place,
    userId,
    token: made["token"] ?? "",
    rights,
    runs,
    runsPortal: runs.includes(apps.game),
    runsProvider: false,
  };
}

/** Returns the fields of a membership that name the scope. */
export function toJson({ kind, id }: Scope): JsonObject {
  return kind === "instance" ? { instance: true } : { [`${kind}Id`]: id };
}
