import type { DescMethodUnary, JsonObject, MessageInitShape } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import { IdentityProviderService } from "../../../gen/gatehouse/v1/identity_provider_service_pb.ts";
import { MembershipService } from "../../../gen/gatehouse/v1/membership_service_pb.ts";
import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { ProjectService } from "../../../gen/gatehouse/v1/project_service_pb.ts";
import { UserGrantService } from "../../../gen/gatehouse/v1/user_grant_service_pb.ts";
import {
  createCaller,
  createWorld,
  idOf,
  samlMetadata,
  uniqueName,
  type World,
} from "../../support/world.ts";
import { liveClients } from "./client-life.ts";
import type { ConnectedService } from "./place.ts";

type Act = <M extends DescMethodUnary>(
  method: M,
  request: MessageInitShape<M["input"]>,
) => Promise<JsonObject>;

const organizations = OrganizationService.method;
const memberships = MembershipService.method;
const providers = IdentityProviderService.method;
const projects = ProjectService.method;
const grants = UserGrantService.method;
const applications = ApplicationService.method;

/** Has objects of every kind changed, stopped, started and removed, one by one and with the organization that holds them. */
export async function liveObjects(service: ConnectedService): Promise<void> {
  const gone = await createWorld(service);
  const world = await createWorld(service);
  const act: Act = createCaller(service, world.organizationId);
  const { organizationId: id } = world;
  await act(organizations.updateOrganization, { id, name: uniqueName("Renamed") });
  await act(organizations.deactivateOrganization, { id });
  await act(organizations.reactivateOrganization, { id });
  await liveMembership(act, world);
  await liveProvider(act, world);
  await liveApplication(act, world);
  await liveClients(act, world);
  await liveGrants(act, world, gone);
  await liveProject(act, world);
  await act(organizations.removeOrganization, { id: gone.organizationId });
}

async function liveMembership(act: Act, { userId, organizationId }: World): Promise<void> {
  const scope = { case: "organizationId" as const, value: organizationId };
  const added = await act(memberships.addMembership, { userId, scope, roles: ["ORGANIZATION_VIEWER"] });
  const membershipId = idOf(added, "membershipId");
  await act(memberships.updateMembership, { membershipId, roles: ["ORGANIZATION_USER_MANAGER"] });
  await act(memberships.removeMembership, { membershipId });
}

async function liveProvider(act: Act, { idpId }: World): Promise<void> {
  const jwt = {
    jwtEndpoint: "https://idp.example.com/a",
    issuer: "i",
    keysEndpoint: "https://idp.example.com/b",
    headerName: "x-a",
  };
  await act(providers.updateIdentityProvider, {
    idpId,
    name: uniqueName("Renamed"),
    config: { case: "jwt", value: jwt },
  });
  await act(providers.deactivateIdentityProvider, { idpId });
  await act(providers.reactivateIdentityProvider, { idpId });
  await act(providers.removeIdentityProvider, { idpId });
}

async function liveApplication(act: Act, { projectId, appId }: World): Promise<void> {
  const app = { projectId, appId };
  await act(applications.updateApplication, { ...app, name: uniqueName("Renamed") });
  await act(applications.updateSamlConfig, {
    ...app,
    metadataXml: samlMetadata(`https://sp.example.com/${appId}`),
  });
  await act(applications.updateSamlSettings, {
    ...app,
    requireSignedRequests: true,
    attributes: [{ name: "mail", source: "Email" }],
  });
  await act(applications.deactivateApplication, app);
  await act(applications.reactivateApplication, app);
  await act(applications.removeApplication, app);
}

async function liveGrants(act: Act, world: World, partner: World): Promise<void> {
  const { projectId, userId } = world;
  const named = { userId, grantId: world.userGrantId };
  await act(grants.updateUserGrant, { ...named, roleKeys: ["writer", "reader"] });
  await act(grants.deactivateUserGrant, named);
  await act(grants.reactivateUserGrant, named);
  const added = await act(projects.addProjectGrant, {
    projectId,
    grantedOrganizationId: partner.organizationId,
    roleKeys: ["reader"],
  });
  const grant = { projectId, grantId: idOf(added, "grantId") };
  await act(projects.updateProjectGrant, { ...grant, roleKeys: ["writer"] });
  await act(projects.deactivateProjectGrant, grant);
  await act(projects.reactivateProjectGrant, grant);
  await act(projects.removeProjectGrant, grant);
  await act(projects.updateProjectRole, { projectId, roleKey: "reader", displayName: "Reads" });
  await act(projects.removeProjectRole, { projectId, roleKey: "writer" });
  await act(grants.removeUserGrant, named);
}

async function liveProject(act: Act, { projectId: id }: World): Promise<void> {
  await act(projects.deactivateProject, { id });
  await act(projects.reactivateProject, { id });
  await act(projects.removeProject, { id });
}
