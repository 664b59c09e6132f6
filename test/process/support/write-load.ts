import type { JsonObject } from "@bufbuild/protobuf";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import { answerOf } from "../../support/service.ts";
import { idOf, uniqueName } from "../../support/world.ts";
import type { ConnectedService } from "./place.ts";

/** A write that the service said is done. */
export interface Acknowledged {
  /** The table and the key of a row that it made. */
  readonly table: keyof typeof keyColumns;
  readonly key: string;
  /** `details.sequence` of the answer. */
  readonly sequence: number;
}

/** The column by which a row of each table is found. */
export const keyColumns = {
  projects: "id",
  project_roles: "role_key",
  users: "id",
  credentials: "id",
  identity_providers: "id",
} as const;

/** Roles are added so many at a time: all of them are there, or none. */
export const rolesPerWrite = 7;

export interface WriteLoad {
  readonly acknowledged: readonly Acknowledged[];
  /** Resolves when so many writes are acknowledged. Rejects when one fails before `end` was called. */
  reach(count: number): Promise<void>;
  /** Says that calls may fail from now on. */
  end(): void;
  /** Resolves when no call is under way any more. */
  readonly ended: Promise<unknown>;
}

/** How many callers there are of each content type; those of JSON and gRPC-web have a connection each. */
const callers = { json: 4, grpc: 6, "grpc-web": 2 } as const;

/** Writes without a pause, several callers at a time, until a call fails. `target` is a project and a user to write to. */
export function startWriteLoad(
  service: ConnectedService,
  target: { readonly projectId: string; readonly userId: string },
  counts: Readonly<Record<keyof typeof callers, number>> = callers,
): WriteLoad {
  const acknowledged: Acknowledged[] = [];
  const state = { mayFail: false };
  let onProgress = () => {};
  let onFailure = (_error: unknown) => {};
  const runOne = async (lane: keyof typeof callers, first: number) => {
    for (let turn = first; !state.mayFail; turn += 1) {
      const write = writes[turn % writes.length] ?? addProject;
      acknowledged.push(...(await write({ service, lane, ...target })));
      onProgress();
    }
  };
  const running = Object.entries(counts).flatMap(([lane, count]) =>
    Array.from({ length: count }, (_, index) =>
      runOne(lane as keyof typeof callers, index).catch((error: unknown) => {
        if (!state.mayFail) onFailure(error);
      }),
    ),
  );
  return {
    acknowledged,
    reach: (count) =>
      new Promise((resolve, reject) => {
        onFailure = reject;
        onProgress = () => {
          if (acknowledged.length >= count) resolve();
        };
        onProgress();
      }),
    end() {
      state.mayFail = true;
    },
    ended: Promise.all(running),
  };
}

interface Write {
  readonly service: ConnectedService;
  readonly lane: keyof typeof callers;
  readonly projectId: string;
  readonly userId: string;
}

const writes = [addProject, addHumanUser, addRoles, addProject, addToken, addIdentityProvider];

async function addProject({ service, lane }: Write): Promise<readonly Acknowledged[]> {
  const { clients, adminToken: token } = service;
  const request = { name: uniqueName("Project") };
  const answer = answerOf(await clients[lane].call(ProjectService.method.addProject, request, { token }));
  return [{ table: "projects", key: idOf(answer, "id"), sequence: sequenceOf(answer) }];
}

async function addHumanUser({ service, lane }: Write): Promise<readonly Acknowledged[]> {
  const { clients, adminToken: token } = service;
  const request = {
    username: uniqueName("human"),
    givenName: "Ada",
    familyName: "Lovelace",
    email: "ada@example.com",
  };
  const answer = answerOf(await clients[lane].call(UserService.method.addHumanUser, request, { token }));
  return [{ table: "users", key: idOf(answer, "userId"), sequence: sequenceOf(answer) }];
}

async function addRoles({ service, lane, projectId }: Write): Promise<readonly Acknowledged[]> {
  const { clients, adminToken: token } = service;
  const stem = uniqueName("role").replaceAll(" ", "-");
  const roles = Array.from({ length: rolesPerWrite }, (_, index) => ({ roleKey: `${stem}/${index}` }));
  const method = ProjectService.method.bulkAddProjectRoles;
  const answer = answerOf(await clients[lane].call(method, { projectId, roles }, { token }));
  const sequence = sequenceOf(answer);
  return roles.map(({ roleKey }) => ({ table: "project_roles", key: roleKey, sequence }));
}

async function addToken({ service, lane, userId }: Write): Promise<readonly Acknowledged[]> {
  const { clients, adminToken: token } = service;
  const method = UserService.method.addPersonalAccessToken;
  const answer = answerOf(await clients[lane].call(method, { userId }, { token }));
  return [{ table: "credentials", key: idOf(answer, "tokenId"), sequence: sequenceOf(answer) }];
}

async function addIdentityProvider({ service, lane }: Write): Promise<readonly Acknowledged[]> {
  const { clients, adminToken: token } = service;
  const oidc = {
    name: uniqueName("Provider"),
    clientId: "client",
    clientSecret: "secret",
    issuer: "https://idp.example.com",
  };
  const method = IdentityProviderService.method.addOidcIdentityProvider;
  const answer = answerOf(await clients[lane].call(method, oidc, { token }));
  return [{ table: "identity_providers", key: idOf(answer, "idpId"), sequence: sequenceOf(answer) }];
}

function sequenceOf(answer: JsonObject): number {
  const details = answer["details"] as JsonObject; // every answer to a write has them
  return Number(details["sequence"]);
}
