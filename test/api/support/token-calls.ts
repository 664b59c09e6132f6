import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserService } from "../../../gen/gatehouse/v1/user_service_pb.ts";
import type { CallOptions, Outcome } from "../../support/clients.ts";
import { answerOf, refusalOf, type TestService } from "../../support/service.ts";
import { idOf, uniqueName } from "../../support/world.ts";

const { addPersonalAccessToken, listPersonalAccessTokens } = UserService.method;

/** A token as its holder has it. */
export interface Minted {
  readonly id: string;
  readonly token: string;
}

export const onOrganization = (value: string) => ({ case: "organizationId", value }) as const;
export const onProject = (value: string) => ({ case: "projectId", value }) as const;
type Scope = ReturnType<typeof onOrganization> | ReturnType<typeof onProject>;

/** What tests of tokens do over JSON, as the administrator or with another token. */
export interface TokenCalls {
  ask<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    token?: string,
    headers?: CallOptions["headers"],
  ): Promise<Outcome>;
  /** Returns how the call ended: `allowed`, or the reason. */
  tell<M extends DescMethodUnary>(
    method: M,
    request: MessageInitShape<M["input"]>,
    token: string,
    headers?: CallOptions["headers"],
  ): Promise<unknown>;
  addOrganization(): Promise<string>;
  /** Returns the id of the membership. */
  give(userId: string, scope: Scope, roles: readonly string[], token?: string): Promise<string>;
  mint(userId: string, token: string): Promise<Minted>;
  tokensOf(userId: string, token?: string): Promise<readonly JsonObject[]>;
  /** Returns id, `isLimited` and `leftOutMembershipIds` of each token. */
  limitedOf(userId: string, token?: string): Promise<readonly (readonly unknown[])[]>;
  /** Tells whether the token may rename the project, as an owner of it may. */
  mayRename(id: string, organizationId: string, token: string): Promise<unknown>;
}

/** Creates the calls of a service that is started later. */
export function createTokenCalls(started: () => TestService): TokenCalls {
  const calls: TokenCalls = {
    ask: (method, request, token = started().adminToken, headers = {}) =>
      started().clients.json.call(method, request, { token, headers }),
    async tell(method, request, token, headers) {
      const outcome = await calls.ask(method, request, token, headers);
      return outcome.kind === "answer" ? "allowed" : refusalOf(outcome).reason;
    },
    async addOrganization() {
      const request = { name: uniqueName("Organization") };
      const outcome = await calls.ask(OrganizationService.method.addOrganization, request);
      return idOf(answerOf(outcome), "organizationId");
    },
    async give(userId, scope, roles, token) {
      const request = { userId, scope, roles: [...roles] };
      const outcome = await calls.ask(MembershipService.method.addMembership, request, token);
      return idOf(answerOf(outcome), "membershipId");
    },
    async mint(userId, token) {
      const made = answerOf(await calls.ask(addPersonalAccessToken, { userId }, token));
      return { id: idOf(made, "tokenId"), token: idOf(made, "token") };
    },
    async tokensOf(userId, token) {
      const answer = answerOf(await calls.ask(listPersonalAccessTokens, { userId }, token));
      return answer["personalAccessTokens"] as readonly JsonObject[];
    },
    async limitedOf(userId, token) {
      const tokens = await calls.tokensOf(userId, token);
      return tokens.map((each) => [each["id"], each["isLimited"], each["leftOutMembershipIds"]]);
    },
    mayRename: (id, organizationId, token) =>
      calls.tell(ProjectService.method.updateProject, { id, name: uniqueName("Project") }, token, {
        "x-service-orgid": organizationId,
      }),
  };
  return calls;
}
