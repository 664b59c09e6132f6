import { OrganizationService } from "../../../gen/gatehouse/v1/organization_service_pb.ts";
import { removeOrganization } from "./cascades.ts";
import { organizationMessage } from "./messages.ts";
import {
  type Caller,
  holdsOn,
  holdsOnOrganization,
  holdsSomewhere,
  lacksToStop,
  requireAccess,
} from "./permissions.ts";
import { type Effect, type Operations, type Plan, present, refuseIf, toState } from "./plan.ts";
import { isSameName, type Organization, type World } from "./world.ts";

const { method } = OrganizationService;

/** All rpcs of OrganizationService. */
export const organizationOperations: Operations = {
  addOrganization: (world, draw) => addOrganization(world, draw.name("Organization")),
  getOrganization(world, draw) {
    const id = draw.id(world.organizations);
    return {
      method: method.getOrganization,
      request: { id },
      judge: (caller) => {
        const organization = onId(world, caller, id, "organization.read");
        return { kind: "read", answer: { organization: organizationMessage(organization) } };
      },
    };
  },
  listOrganizations(world, draw) {
    const name = draw.chance(0.5) ? "" : draw.name("Organization");
    return listOrganizations(world, name);
  },
  updateOrganization(world, draw) {
    const id = draw.id(world.organizations);
    const name = draw.chance(0.2) ? (world.organizations.find(id)?.name ?? "?") : draw.name("Organization");
    return {
      method: method.updateOrganization,
      request: { id, name },
      judge: (caller) => {
        const organization = onId(world, caller, id, "organization.write");
        refuseIf(isTaken(world, name, id), "ALREADY_EXISTS");
        return {
          kind: "changed",
          entity: organization,
          isSame: organization.name === name,
          note: (date) => Object.assign(organization, { name, sequence: date }),
        };
      },
    };
  },
  deactivateOrganization: (world, draw) =>
    change(world, draw.id(world.organizations), "deactivateOrganization", (organization) => {
      refuseIf(
        organization.state === "ACTIVE" && isLastOwner(world, { organization }),
        "LAST_INSTANCE_OWNER",
      );
      return toState(organization, "INACTIVE");
    }),
  reactivateOrganization: (world, draw) =>
    change(world, draw.id(world.organizations), "reactivateOrganization", (organization) =>
      toState(organization, "ACTIVE"),
    ),
  removeOrganization: (world, draw) => planRemoval(world, draw.id(world.organizations)),
};

export function addOrganization(world: World, name: string): Plan {
  return {
    method: method.addOrganization,
    request: { name },
    judge: (caller) => {
      const isHeld = holdsOn(caller.held, "organization.create", { kind: "instance" }, "");
      refuseIf(!isHeld, "PERMISSION_DENIED");
      refuseIf(isTaken(world, name), "ALREADY_EXISTS");
      return {
        kind: "created",
        owner: undefined,
        idField: "organizationId",
        note: ({ id, date }) =>
          world.organizations.add({
            id,
            label: world.label("organization"),
            resourceOwner: id,
            created: date,
            sequence: date,
            state: "ACTIVE",
            name,
          }),
      };
    },
  };
}

export function listOrganizations(world: World, name = ""): Plan {
  return {
    method: method.listOrganizations,
    request: { name },
    judge: (caller) => {
      refuseIf(!holdsSomewhere(caller.held, "organization.read"), "PERMISSION_DENIED");
      const seen = world.organizations.where(
        (organization) =>
          holdsOnOrganization(caller.held, "organization.read", organization.id) &&
          (name === "" || isSameName(organization.name, name)),
      );
      return { kind: "list", field: "organizations", items: seen.map(organizationMessage) };
    },
  };
}

export function planRemoval(world: World, id: string): Plan {
  return change(world, id, "removeOrganization", (organization) => {
    refuseIf(isLastOwner(world, { organization }), "LAST_INSTANCE_OWNER");
    return { kind: "changed", entity: organization, note: () => removeOrganization(world, organization) };
  });
}

/** Says whether no active user of an active organization would hold INSTANCE_OWNER without these. */
export function isLastOwner(
  world: World,
  without: {
    readonly organization?: { readonly id: string };
    readonly user?: { readonly id: string };
    readonly membership?: { readonly id: string };
  },
): boolean {
  return !world.memberships.all().some(({ id, scope, roles, userId }) => {
    const user = world.users.find(userId);
    const organization = user && world.organizations.find(user.resourceOwner);
    return (
      scope.kind === "instance" &&
      roles.includes("INSTANCE_OWNER") &&
      user?.state === "ACTIVE" &&
      organization?.state === "ACTIVE" &&
      id !== without.membership?.id &&
      user.id !== without.user?.id &&
      organization.id !== without.organization?.id
    );
  });
}

/** A call that touches the state of all users of an organization. */
function change(
  world: World,
  id: string,
  name: "deactivateOrganization" | "reactivateOrganization" | "removeOrganization",
  decide: (organization: Organization) => Effect,
): Plan {
  return {
    method: method[name],
    request: { id },
    judge: (caller) => {
      const organization = onId(world, caller, id, "organization.write");
      const users = world.users.where(({ resourceOwner }) => resourceOwner === id);
      refuseIf(
        users.some((user) => lacksToStop(world, caller, user)),
        "PERMISSION_DENIED",
      );
      return decide(organization);
    },
  };
}

function onId(world: World, caller: Caller, id: string, permission: string): Organization {
  requireAccess(caller, permission, id);
  return present(world.organizations.find(id));
}

function isTaken(world: World, name: string, exceptId = ""): boolean {
  return world.organizations.all().some((other) => other.id !== exceptId && isSameName(other.name, name));
}
