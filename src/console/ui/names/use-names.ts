import { createClient, type Transport } from "@connectrpc/connect";
import { useMemo } from "preact/hooks";
import { useApi } from "../../api/api.ts";
import { clientId } from "../../api/client-id.ts";
import type { ProjectGrant } from "../../../../gen/console/gatehouse/v1/project_grant_pb.ts";
import { OrganizationService } from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { EventService } from "../../../../gen/console/gatehouse/v1/event_service_pb.ts";
import { fullNameOfUser } from "../user-name.ts";
import type { NamedObject } from "./named-object.ts";

/** Finds the names of objects by their ids. Each is asked for once, as long as the component stands. Nothing of it fails. */
export interface Names {
  user(id: string): Promise<NamedObject>;
  /** As `findUser`, for what is typed into a filter. Default: of the organization of the page. */
  typedUser(text: string, ownerId?: string): Promise<NamedObject | undefined>;
  organization(id: string): Promise<NamedObject>;
  /** A group of the organization of the page. */
  group(id: string): Promise<NamedObject>;
  /** An application, whichever project it is in. Only callers that may read its events find it. */
  application(id: string): Promise<NamedObject>;
  /** A project, within the organization that owns it. */
  project(id: string, ownerId: string): Promise<NamedObject>;
  /** The projects that were granted to the organization: the first thousand. */
  grantedProjects(organizationId: string): Promise<readonly ProjectGrant[]>;
}

/** Returns the names of objects, by their ids. */
export function useNames(): Names {
  const { transport, organizationId } = useApi();
  return useMemo(() => createNames(transport, organizationId), [transport, organizationId]);
}

function createNames(
  transport: (organizationId: string | undefined) => Transport,
  organizationId: string | undefined,
): Names {
  const named = once<NamedObject>();
  const granted = once<readonly ProjectGrant[]>();
  // Read beside the first rows, which are named once they are there.
  const userCode = import("../../../../gen/console/gatehouse/v1/user_service_pb.ts");
  userCode.catch(() => {}); // what is named tells
  const usersOf = async (ownerId: string | undefined) =>
    createClient((await userCode).UserService, transport(ownerId));
  const organizations = createClient(OrganizationService, transport(organizationId));
  const history = createClient(EventService, transport(undefined));
  // What few pages name is not part of the first load of all.
  const groups = async () => {
    const { GroupService } = await import("../../../../gen/console/gatehouse/v1/group_service_pb.ts");
    return createClient(GroupService, transport(organizationId));
  };
  const projectsOf = async (ownerId: string) => {
    const { ProjectService } = await import("../../../../gen/console/gatehouse/v1/project_service_pb.ts");
    return createClient(ProjectService, transport(ownerId));
  };
  return {
    user: (id) =>
      named(`user ${id}`, { id, title: id }, async () => {
        const { user } = await (await usersOf(organizationId)).getUser({ userId: id });
        const title = user === undefined ? id : fullNameOfUser(user);
        return { id, title, organizationId: user?.details?.resourceOwner };
      }),
    async typedUser(text, ownerId = organizationId) {
      const { findUser } = await import("./find-object.ts");
      return await findUser(await usersOf(ownerId), text);
    },
    organization: (id) =>
      named(`organization ${id}`, { id, title: id }, async () => {
        const { organization } = await organizations.getOrganization({ id });
        return { id, title: organization?.name ?? id, organizationId: id };
      }),
    group: (id) =>
      named(`group ${id}`, { id, title: id }, async () => {
        const { group } = await (await groups()).getGroup({ id });
        return { id, title: group?.name ?? id, organizationId: group?.details?.resourceOwner };
      }),
    application: (id) =>
      named(`application ${id}`, { id, title: id }, async () => {
        if (id === clientId) return { id, title: "Gatehouse" };
        const { events } = await history.listEvents({ aggregateType: "application", aggregateId: id });
        const texts = (key: string) => events.map(({ payload }) => payload?.[key]).filter(isText);
        const title = texts("name").at(-1) ?? id;
        return { id, title, organizationId: events[0]?.resourceOwner, projectId: texts("project_id")[0] };
      }),
    project: (id, ownerId) =>
      named(`project ${id} of ${ownerId}`, { id, title: id }, async () => {
        const { project } = await (await projectsOf(ownerId)).getProject({ id });
        return { id, title: project?.name ?? id, organizationId: ownerId };
      }),
    grantedProjects: (id) =>
      granted(id, [], async () => {
        const { grantedProjects } = await (await projectsOf(id)).listGrantedProjects({ pageSize: 1000 });
        return grantedProjects;
      }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Returns a function that loads the value of a key once, and answers the other one when that fails. */
function once<T>(): (key: string, otherwise: T, load: () => Promise<T>) => Promise<T> {
  const known = new Map<string, Promise<T>>();
  return (key, otherwise, load) => {
    const value = known.get(key) ?? load().catch(() => otherwise);
    known.set(key, value);
    return value;
  };
}
