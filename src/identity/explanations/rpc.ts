import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type AccessChangeSchema,
  AccessChangeKind,
  AccessReason,
  type AccessStepSchema,
  AccessStepKind,
  AccessVerdict,
} from "../../../gen/gatehouse/v1/access_explanation_pb.ts";
import {
  AccessService,
  type AskedPermission,
  type ExplainAccessRequest,
} from "../../../gen/gatehouse/v1/access_service_pb.ts";
import { type Permission, permissions } from "../../kernel/base/permission.ts";
import type { FieldViolation } from "../../kernel/base/problem.ts";
import { checkAsOf, readAsOf } from "../as-of-messages.ts";
import type { ScopeName } from "../memberships/membership.ts";
import { toPeriodMessage } from "../rights-in-time/period-messages.ts";
import { implementService, type ServiceImplementation } from "../rpc.ts";
import type { AccessAnswer, ExplanationCommands, Question } from "./commands.ts";
import type { Change, Step } from "./explanation.ts";

/** Maps the messages of AccessService to commands. */
export function createAccessService(commands: ExplanationCommands): ServiceImplementation {
  return implementService(AccessService, {
    explainAccess: {
      check: (request) => [...findUnknownPermission(request), ...checkAsOf(request)],
      run: async (call, request) => {
        const asked = { userId: request.userId, question: toQuestion(request), asOf: readAsOf(request) };
        return toAnswerMessage(await commands.explain(call, asked));
      },
    },
  });
}

function findUnknownPermission({ question }: ExplainAccessRequest): readonly FieldViolation[] {
  if (question.case !== "permission" || question.value.permission === "") return [];
  if (findPermission(question.value.permission) !== undefined) return [];
  return [{ field: "permission.permission", description: "must be a permission, such as project.write" }];
}

function findPermission(name: string): Permission | undefined {
  return permissions.find((permission) => permission === name);
}

function toQuestion({ question }: ExplainAccessRequest): Question {
  switch (question.case) {
    case "role":
      return { kind: "role", projectId: question.value.projectId, roleKey: question.value.roleKey };
    case "permission": {
      const permission = findPermission(question.value.permission);
      if (permission === undefined) throw new Error("the permission is checked before");
      return { kind: "permission", permission, scope: toScopeName(question.value) };
    }
    case "login":
      return { kind: "login", applicationId: question.value.applicationId };
    case undefined:
      throw new Error("the oneof question is required by its rule");
  }
}

function toScopeName({ scope }: AskedPermission): ScopeName {
  switch (scope.case) {
    case "instance":
      return { kind: "instance" };
    case "organizationId":
      return { kind: "organization", id: scope.value };
    case "projectId":
      return { kind: "project", id: scope.value };
    case "projectGrantId":
      return { kind: "project-grant", id: scope.value };
    case undefined:
      throw new Error("the oneof scope is required by its rule");
  }
}

function toAnswerMessage({ isAllowed, steps, proposals }: AccessAnswer) {
  const hidden = isAllowed === undefined ? [{ kind: AccessStepKind.NOT_VISIBLE }] : [];
  return {
    ...(isAllowed === undefined ? {} : { allowed: isAllowed }),
    steps: [...steps.map(toStepMessage), ...hidden],
    proposals: proposals.map((changes) => ({ changes: changes.map(toChangeMessage) })),
  };
}

function toStepMessage(step: Step): MessageInitShape<typeof AccessStepSchema> {
  const { kind, id, isMet, reason, rightId, groupIds = [], period = {} } = step;
  return {
    kind: AccessStepKind[kind],
    id,
    verdict: isMet ? AccessVerdict.ALLOWS : AccessVerdict.DENIES,
    reason: AccessReason[reason],
    rightId,
    groupIds: [...groupIds],
    ...toPeriodMessage(period),
  };
}

function toChangeMessage(change: Change): MessageInitShape<typeof AccessChangeSchema> {
  const named = { kind: AccessChangeKind[change.kind], object: AccessStepKind[change.object] };
  switch (change.kind) {
    case "ACTIVATE":
    case "ALLOW_SIGN_IN":
      return { ...named, id: change.id };
    case "SET_DATES":
      return { ...named, id: change.id, userId: change.userId ?? "" };
    case "ADD_ROLE":
      return { ...named, id: change.id, role: change.role };
    case "ADD":
      return { ...named, role: change.role, ...toPlace(change) };
  }
}

function toPlace(change: Extract<Change, { readonly kind: "ADD" }>) {
  if (change.object !== "MEMBERSHIP")
    return { projectId: change.projectId, organizationId: change.organizationId };
  switch (change.scope.kind) {
    case "instance":
      return {};
    case "organization":
      return { organizationId: change.scope.organizationId };
    case "project":
      return { projectId: change.scope.projectId };
    case "project-grant":
      return { projectGrantId: change.scope.projectGrantId };
  }
}
