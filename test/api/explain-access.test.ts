import { afterAll, describe, expect, test } from "@jest/globals";
import type { JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { AccessService, type ExplainAccessRequestSchema } from "../../gen/gatehouse/v1/access_service_pb.ts";
import { ApplicationService } from "../../gen/gatehouse/v1/application_service_pb.ts";
import { LoginPolicyService } from "../../gen/gatehouse/v1/login_policy_service_pb.ts";
import { OrganizationService } from "../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { startService } from "../support/service.ts";
import {
  createCaller,
  createHumanUser,
  createProject,
  createServiceUser,
  createWorld,
  idOf,
  uniqueName,
} from "../support/world.ts";

// What callers see of explanations. The rules of what decides are in `test/identity/explanations`.

const service = await startService();
const world = await createWorld(service);
const { organizationId } = world;
const inside = createCaller(service, organizationId);
afterAll(() => service.stop());

type Question = MessageInitShape<typeof ExplainAccessRequestSchema>["question"];

const explain = (userId: string, question: NonNullable<Question>) =>
  inside(AccessService.method.explainAccess, { userId, question });

test("a role: the answer has the steps and the changes", async () => {
  const projectId = await createProject(service, organizationId, ["reader"]);
  const userId = await createHumanUser(service, organizationId);
  const question = { case: "role", value: { projectId, roleKey: "reader" } } as const;
  expect(await explain(userId, question)).toMatchObject({
    allowed: false,
    proposals: [
      {
        changes: [
          {
            kind: "ACCESS_CHANGE_KIND_ADD",
            object: "ACCESS_STEP_KIND_USER_GRANT",
            role: "reader",
            projectId,
            organizationId,
          },
        ],
      },
    ],
  });
  const endDate = "2100-01-01T00:00:00Z";
  const given = { userId, projectId, roleKeys: ["reader"], endDate: timestampFromMs(Date.parse(endDate)) };
  const grantId = idOf(await inside(UserGrantService.method.addUserGrant, given), "userGrantId");
  const answer = await explain(userId, question);
  expect(answer).toMatchObject({ allowed: true, proposals: [] });
  expect(answer.steps).toContainEqual({
    kind: "ACCESS_STEP_KIND_USER_GRANT",
    id: grantId,
    verdict: "ACCESS_VERDICT_ALLOWS",
    reason: "ACCESS_REASON_IN_TIME",
    rightId: grantId,
    groupIds: [],
    endDate,
  });
});

describe("a login", () => {
  /** An application in a project with both checks, of the organization, and the question about it. */
  async function addApplication(owner: string = organizationId): Promise<{
    readonly projectId: string;
    readonly question: NonNullable<Question>;
    readonly applicationId: string;
  }> {
    const projectId = await createProject(service, owner, ["reader"]);
    const settings = {
      id: projectId,
      name: uniqueName("Checked"),
      projectRoleCheck: true,
      hasProjectCheck: true,
    };
    await createCaller(service, owner)(ProjectService.method.updateProject, settings);
    const application = { projectId, name: uniqueName("App"), redirectUris: ["https://app.example.com/cb"] };
    const applicationId = idOf(
      await createCaller(service, owner)(ApplicationService.method.createOidcApplication, application),
      "appId",
    );
    return { projectId, applicationId, question: { case: "login", value: { applicationId } } };
  }
  const listOf = (value: unknown) => value as readonly JsonObject[]; // a list of messages in the answer
  const shorten = (value: unknown) => String(value).replace(/^ACCESS_(?:STEP_KIND|REASON|CHANGE_KIND)_/, "");
  const reasonsOf = ({ steps }: JsonObject) =>
    listOf(steps).map(({ kind, reason }) => `${shorten(kind)} ${shorten(reason)}`);
  const changesOf = ({ proposals }: JsonObject) =>
    listOf(proposals).map(({ changes }) =>
      listOf(changes).map(({ kind, object }) => `${shorten(kind)} ${shorten(object)}`),
    );

  test("needs a role if the project checks it, an active application, and a person", async () => {
    const { projectId, applicationId, question } = await addApplication();
    const userId = await createHumanUser(service, organizationId);
    expect(changesOf(await explain(userId, question))).toEqual([["ADD USER_GRANT"]]);
    await inside(UserGrantService.method.addUserGrant, { userId, projectId, roleKeys: ["reader"] });
    const allowed = await explain(userId, question);
    expect(allowed).toMatchObject({ allowed: true });
    expect(reasonsOf(allowed)).toEqual([
      "USER ACTIVE",
      "ORGANIZATION ACTIVE",
      "APPLICATION ACTIVE",
      "PROJECT ACTIVE",
      "POLICY SIGN_IN_ALLOWED",
      "USER_GRANT ACTIVE",
      "USER_GRANT IN_TIME",
      "USER_GRANT GIVEN",
    ]);
    await inside(ApplicationService.method.deactivateApplication, { projectId, appId: applicationId });
    const denied = await explain(userId, question);
    expect(denied).toMatchObject({ allowed: false });
    expect(changesOf(denied)).toEqual([["ACTIVATE APPLICATION"]]);
    const { id: program } = await createServiceUser(service, organizationId);
    const refused = await explain(program, question);
    expect(refused).toMatchObject({ allowed: false, proposals: [] });
    expect(reasonsOf(refused)).toContain("USER SERVICE_USER");
  });

  test("needs the project in the organization of the user, and a way to sign in that both organizations allow", async () => {
    const owner = await addOrganization();
    const { projectId, question } = await addApplication(owner);
    const partner = await addOrganization();
    const userId = await createHumanUser(service, partner);
    const allowOnly = async (id: string, allowed: "allowPassword" | "allowPasskeys") =>
      await createCaller(service, id)(LoginPolicyService.method.updateLoginPolicy, {
        allowPassword: false,
        minPasswordLength: 10,
        [allowed]: true,
      });
    await allowOnly(owner, "allowPasskeys");
    await allowOnly(partner, "allowPassword");
    const denied = await explain(userId, question);
    expect(denied).toMatchObject({ allowed: false });
    expect(changesOf(denied)).toEqual([["ALLOW_SIGN_IN POLICY", "ADD PROJECT_GRANT", "ADD USER_GRANT"]]);
    const grant = { projectId, grantedOrganizationId: partner, roleKeys: ["reader"] };
    await createCaller(service, owner)(ProjectService.method.addProjectGrant, grant);
    expect(reasonsOf(await explain(userId, question))).toContain("PROJECT_GRANT ACTIVE");
  });

  async function addOrganization(): Promise<string> {
    const added = { name: uniqueName("Organization") };
    return idOf(await service.call(OrganizationService.method.addOrganization, added), "organizationId");
  }
});
