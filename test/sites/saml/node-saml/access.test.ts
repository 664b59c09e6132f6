// Who may log in to a service provider, as node-saml learns it: the checks of a project, and the states of all that takes part.
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { SamlStatusError } from "@node-saml/node-saml";
import { ApplicationService } from "../../../../gen/gatehouse/v1/application_service_pb.ts";
import { OrganizationService } from "../../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import { UserService } from "../../../../gen/gatehouse/v1/user_service_pb.ts";
import { signIn } from "../../oidc/support/signed-in.ts";
import type { UserAgent } from "../../oidc/support/user-agent.ts";
import { startService, type TestService } from "../../../support/service.ts";
import { createCaller, createHumanUser, createProject, idOf, uniqueName } from "../../../support/world.ts";
import { addNodeSamlParty, type NodeSamlParty } from "./node-saml.ts";
import { createSamlPlace, type SamlPlace } from "./saml-place.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

interface Ground {
  readonly place: SamlPlace;
  readonly party: NodeSamlParty;
  readonly projectId: string;
  readonly userId: string;
  /** It has a session of the user. */
  readonly browser: UserAgent;
  /** Calls on the organization of the project. */
  readonly inside: ReturnType<typeof createCaller>;
}

async function layGround({ isGuest = false } = {}): Promise<Ground> {
  const place = await createSamlPlace(service);
  const { organizationId } = place;
  const home = isGuest ? (await createSamlPlace(service)).organizationId : organizationId;
  const projectId = await createProject(service, organizationId, ["reader", "writer"]);
  const identifierFormat = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent";
  const party = await addNodeSamlParty(place, { projectId, saml: { identifierFormat } });
  const userId = await createHumanUser(service, home);
  const browser = place.openBrowser();
  const [name = "", value = ""] = (await signIn(service, userId)).cookie.split("=");
  browser.cookies.set(name, value);
  return { place, party, projectId, userId, browser, inside: createCaller(service, organizationId) };
}

/** What the service provider learns: the attributes, a status, or nothing because the browser stays at a page. */
async function tryToEnter({ party, browser }: Ground): Promise<unknown> {
  const asked = await party.ask(browser);
  const isToConfirm = asked.page?.text.includes('value="continue"') === true; // once, of guests
  const visited = isToConfirm ? await browser.submit(asked, { choice: "continue" }) : asked;
  if (visited.page !== undefined)
    return visited.page.text.includes('type="password"') ? "password" : visited.page.status;
  try {
    return (await party.take(visited)).profile?.["attributes"];
  } catch (error) {
    if (!(error instanceof SamlStatusError)) throw error;
    return error.message.replace("SAML provider returned ", "");
  }
}

const update = ({ inside, projectId }: Ground, checks: object) =>
  inside(ProjectService.method.updateProject, { id: projectId, name: uniqueName("Project"), ...checks });
const grant = ({ inside, projectId, userId }: Ground, roleKeys: readonly string[]) =>
  inside(UserGrantService.method.addUserGrant, { userId, projectId, roleKeys: [...roleKeys] });

describe("the checks of a project", () => {
  test("let nobody in without a role, if they ask for one; and tell the roles, if the project asserts them", async () => {
    const ground = await layGround();
    expect(await tryToEnter(ground)).toMatchObject({ UserID: ground.userId });
    await update(ground, { projectRoleCheck: true });
    expect(await tryToEnter(ground)).toBe("Responder error: RequestDenied");
    const grantId = idOf(await grant(ground, ["writer", "reader"]), "userGrantId");
    expect(await tryToEnter(ground)).not.toHaveProperty("Roles");
    await update(ground, { projectRoleCheck: true, projectRoleAssertion: true });
    expect(await tryToEnter(ground)).toMatchObject({ Roles: ["reader", "writer"] });
    await ground.inside(UserGrantService.method.deactivateUserGrant, { userId: ground.userId, grantId });
    expect(await tryToEnter(ground)).toBe("Responder error: RequestDenied");
  });

  test("let only organizations in that have the project, if they ask for that", async () => {
    const ground = await layGround({ isGuest: true });
    expect(await tryToEnter(ground)).toMatchObject({ UserID: ground.userId });
    await update(ground, { hasProjectCheck: true });
    expect(await tryToEnter(ground)).toBe("Responder error: RequestDenied");
    const own = await layGround();
    await update(own, { hasProjectCheck: true });
    expect(await tryToEnter(own)).toMatchObject({ UserID: own.userId });
  });
});

describe("whoever is not active", () => {
  test.each<[string, (ground: Ground) => Promise<unknown>, unknown]>([
    [
      "an application",
      ({ inside, projectId, party: { appId } }) =>
        inside(ApplicationService.method.deactivateApplication, { projectId, appId }),
      400,
    ],
    [
      "a project",
      ({ inside, projectId }) => inside(ProjectService.method.deactivateProject, { id: projectId }),
      400,
    ],
    [
      "the organization of the project",
      ({ place: { organizationId } }) =>
        service.call(OrganizationService.method.deactivateOrganization, { id: organizationId }),
      400,
    ],
    [
      "a user who is deactivated",
      ({ userId }) => service.call(UserService.method.deactivateUser, { userId }),
      "password",
    ],
    [
      "a user who is locked",
      ({ userId }) => service.call(UserService.method.lockUser, { userId }),
      "password",
    ],
  ])("%s: nothing is sent to the service provider", async (_who, deactivate, expected) => {
    const ground = await layGround();
    await deactivate(ground);
    expect(await tryToEnter(ground)).toEqual(expected);
  });
});
