/** A service with its model: what is there before a sequence of calls, and when all of one was removed again. */
import type { JsonObject } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { idOf as textOf } from "../../support/world.ts";
import { startService, type TestService } from "../../support/service.ts";
import { createJsonClient } from "./json-client.ts";
import { createWorld, type Entity, type World } from "./world.ts";

export type Clients = TestService["clients"];

export interface Stage {
  readonly service: TestService;
  readonly world: World;
  readonly clients: Clients;
  close(): Promise<void>;
}

/** Starts a service, and a model of what it made at its first start. */
export async function openStage(): Promise<Stage> {
  const service = await startService();
  const { user } = await service.call(UserService.method.getMyUser, {});
  const { organizations } = await service.call(OrganizationService.method.listOrganizations, {});
  const { memberships } = await service.call(MembershipService.method.listMemberships, {});
  const userId = textOf(user as JsonObject, "id");
  const tokens = await service.call(UserService.method.listPersonalAccessTokens, { userId });
  const [organization] = organizations as readonly JsonObject[];
  const [membership] = memberships as readonly JsonObject[];
  const [token] = tokens["personalAccessTokens"] as readonly JsonObject[];
  const owner = toEntity(membership, "").resourceOwner;
  const world = createWorld(owner, service.clock);
  const admin = user as JsonObject;
  world.organizations.add({
    ...toEntity(organization, "default"),
    state: "ACTIVE",
    name: textOf(organization ?? {}, "name"),
  });
  world.users.add({
    ...toEntity(admin, "admin"),
    kind: "service",
    state: "ACTIVE",
    username: textOf(admin, "username"),
    profile: admin["service"] as Record<string, string>,
  });
  world.memberships.add({
    ...toEntity(membership, "adminMembership"),
    userId,
    scope: { kind: "instance" },
    roles: membership?.["roles"] as string[],
  });
  world.tokens.add({
    ...toEntity(token, "adminToken"),
    userId,
    text: service.adminToken,
    expirationMs: undefined,
    creatorId: "system",
    madeWithId: undefined,
    leftOut: new Map(),
  });
  for (const json of [organization, admin, membership, token]) world.base.add(textOf(json ?? {}, "id"));
  world.sequence = Number((tokens["details"] as JsonObject)["processedSequence"]);
  const json = createJsonClient(service.url);
  return {
    service,
    world,
    clients: { ...service.clients, json },
    async close() {
      json.close();
      await service.stop();
    },
  };
}

/** Takes the place in the log from an object as it was read. */
function toEntity(json: JsonObject | undefined, label: string): Entity {
  const details = json?.["details"] as JsonObject;
  const date = textOf(details, "creationDate");
  const micros = /\.(\d+)Z$/.exec(date)?.[1]?.padEnd(6, "0") ?? "0";
  return {
    id: textOf(json ?? {}, "id"),
    label,
    resourceOwner: textOf(details, "resourceOwner"),
    created: Math.floor(Date.parse(date) / 1000) * 1_000_000 + Number(micros),
    sequence: Number(details["sequence"]),
  };
}
