import type { JsonObject } from "@bufbuild/protobuf";
import { ApplicationService } from "../../../gen/gatehouse/v1/application_service_pb.ts";
import type { Draw } from "./draw.ts";
import { applicationMessage, initialSamlSettings, metadataOf } from "./messages.ts";
import { type Access, type Caller, mayAccessProject } from "./permissions.ts";
import { type Effect, onHeader, type Operations, type Plan, present, refuseIf, toState } from "./plan.ts";
import { type Application, isSameName, type SamlSettings, type World } from "./world.ts";

const { method } = ApplicationService;

/** All rpcs of ApplicationService; the metadata is always sent as a document. */
export const applicationOperations: Operations = {
  createSamlApplication(world, draw) {
    const projectId = draw.id(world.projects);
    const header = draw.header(world.projects.find(projectId)?.resourceOwner);
    return createApplication(world, header, {
      projectId,
      name: draw.name("Application"),
      entityId: drawEntityId(draw),
    });
  },
  getApplication: (world, draw) =>
    onApplication(world, draw, { name: "getApplication", permission: "project.app.read" }, (application) => ({
      kind: "read",
      answer: { application: applicationMessage(application, { isListed: false }) },
    })),
  listApplications(world, draw) {
    const projectId = draw.id(world.projects);
    const filter = {
      name: draw.chance(0.6) ? "" : draw.name("Application"),
      state: draw.state("APPLICATION"),
    };
    const header = draw.header(world.projects.find(projectId)?.resourceOwner);
    return listApplications(world, header, { projectId, ...filter });
  },
  updateApplication(world, draw) {
    const name = draw.name("Application");
    return onApplication(
      world,
      draw,
      { name: "updateApplication", ...ofWrites, request: { name } },
      (application) => {
        refuseIf(
          isTaken(world, { projectId: application.projectId, name }, application.id),
          "ALREADY_EXISTS",
        );
        return {
          kind: "changed",
          entity: application,
          isSame: application.name === name,
          note: (date) => Object.assign(application, { name, sequence: date }),
        };
      },
    );
  },
  updateSamlConfig(world, draw) {
    const entityId = drawEntityId(draw);
    const request = { metadataXml: metadataOf(entityId) };
    return onApplication(world, draw, { name: "updateSamlConfig", ...ofWrites, request }, (application) => {
      refuseIf(isEntityIdTaken(world, entityId, application.id), "ALREADY_EXISTS");
      return {
        kind: "changed",
        entity: application,
        isSame: application.entityId === entityId,
        note: (date) => Object.assign(application, { entityId, sequence: date }),
      };
    });
  },
  updateSamlSettings(world, draw) {
    const request = drawSamlSettings(draw);
    return onApplication(
      world,
      draw,
      { name: "updateSamlSettings", ...ofWrites, request },
      (application) => ({
        kind: "changed",
        entity: application,
        isSame: JSON.stringify(application.settings) === JSON.stringify(request),
        note: (date) => Object.assign(application, { settings: request, sequence: date }),
      }),
    );
  },
  deactivateApplication: (world, draw) =>
    onApplication(world, draw, { name: "deactivateApplication", ...ofWrites }, (application) =>
      toState(application, "INACTIVE"),
    ),
  reactivateApplication: (world, draw) =>
    onApplication(world, draw, { name: "reactivateApplication", ...ofWrites }, (application) =>
      toState(application, "ACTIVE"),
    ),
  removeApplication: (world, draw) =>
    onApplication(world, draw, { name: "removeApplication", ...ofWrites }, (application) => ({
      kind: "changed",
      entity: application,
      note: () => world.applications.remove(({ id }) => id === application.id),
    })),
};

export function createApplication(
  world: World,
  header: string | undefined,
  wanted: Pick<Application, "projectId" | "name" | "entityId">,
): Plan {
  const { projectId, name, entityId } = wanted;
  return {
    method: method.createSamlApplication,
    header,
    request: { projectId, name, metadataXml: metadataOf(entityId) },
    judge: (caller) => {
      const access = onHeader(world, caller, { header, ...ofWrites });
      requireProject(world, access, projectId);
      refuseIf(isTaken(world, wanted) || isEntityIdTaken(world, entityId), "ALREADY_EXISTS");
      return {
        kind: "created",
        owner: access.organizationId,
        idField: "appId",
        rest: { entityId },
        note: ({ id, date }) =>
          world.applications.add({
            id,
            label: world.label("application"),
            resourceOwner: access.organizationId,
            created: date,
            sequence: date,
            state: "ACTIVE",
            projectId,
            name,
            entityId,
            settings: initialSamlSettings,
          }),
      };
    },
  };
}

export function listApplications(
  world: World,
  header: string | undefined,
  asked: { readonly projectId: string; readonly name?: string; readonly state?: string },
): Plan {
  const { projectId, name = "", state = "APPLICATION_STATE_UNSPECIFIED" } = asked;
  return {
    method: method.listApplications,
    header,
    request: { projectId, name, state },
    judge: (caller) => {
      const access = onHeader(world, caller, { header, permission: "project.app.read" });
      requireProject(world, access, projectId);
      const items = world.applications.where(
        (application) =>
          application.projectId === projectId &&
          (name === "" || isSameName(application.name, name)) &&
          (state.endsWith("UNSPECIFIED") || state === `APPLICATION_STATE_${application.state}`),
      );
      return {
        kind: "list",
        field: "applications",
        items: items.map((application) => applicationMessage(application, { isListed: true })),
      };
    },
  };
}

function drawSamlSettings(draw: Draw): SamlSettings {
  const encryption = draw.pick(["UNSPECIFIED", "NEVER", "REQUIRED"]);
  const nameIdFormat = draw.pick(["UNSPECIFIED", "PERSISTENT", "USERNAME"]);
  const ofUser = { name: "mail", nameFormat: "urn:example:format", source: "Email", constant: "" };
  const ofAll = { name: "tenant", nameFormat: "", source: "", constant: "one" };
  return {
    requireSignedRequests: draw.chance(0.5),
    encryption: `SAML_ENCRYPTION_${encryption}`,
    nameIdFormat: `SAML_NAME_ID_FORMAT_${nameIdFormat}`,
    allowIdpInitiated: draw.chance(0.5),
    defaultRelayState: draw.pick(["", "some state"]),
    logoutDisabled: draw.chance(0.5),
    attributes: draw.pick([[], [ofUser], [ofUser, ofAll]]),
    onlyRequestedAttributes: draw.chance(0.5),
  };
}

const ofWrites = { permission: "project.app.write" } as const;

/** A call on one application of a project of the organization of the header. */
function onApplication(
  world: World,
  draw: Draw,
  asked: {
    readonly name: Exclude<keyof typeof method, "createSamlApplication" | "listApplications">;
    readonly permission: string;
    readonly request?: JsonObject;
  },
  decide: (application: Application) => Effect,
): Plan {
  const appId = draw.id(world.applications);
  const fitting = draw.chance(0.92) ? world.applications.find(appId)?.projectId : undefined;
  const projectId = fitting ?? draw.id(world.projects);
  const header = draw.header(world.projects.find(projectId)?.resourceOwner);
  return {
    method: method[asked.name],
    header,
    request: { projectId, appId, ...asked.request },
    judge: (caller: Caller) => {
      const access = onHeader(world, caller, { header, permission: asked.permission });
      requireProject(world, access, projectId);
      const application = present(world.applications.find(appId));
      refuseIf(application.projectId !== projectId, "NOT_FOUND");
      return decide(application);
    },
  };
}

function requireProject(world: World, access: Access, id: string): void {
  const project = present(world.projects.find(id));
  refuseIf(project.resourceOwner !== access.organizationId || !mayAccessProject(access, id), "NOT_FOUND");
}

function isTaken(world: World, wanted: Pick<Application, "projectId" | "name">, exceptId = ""): boolean {
  return world.applications
    .all()
    .some(
      (other) =>
        other.projectId === wanted.projectId && other.id !== exceptId && isSameName(other.name, wanted.name),
    );
}

function isEntityIdTaken(world: World, entityId: string, exceptId = ""): boolean {
  return world.applications.all().some((other) => other.id !== exceptId && other.entityId === entityId);
}

function drawEntityId(draw: Draw): string {
  return `https://sp.example.com/${draw.pick(["one", "two", "three", "four"])}`;
}
