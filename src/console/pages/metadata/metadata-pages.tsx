import type { JSX } from "preact";
import { ApplicationService } from "../../../../gen/console/gatehouse/v1/application_service_pb.ts";
import { MetadataService } from "../../../../gen/console/gatehouse/v1/metadata_service_pb.ts";
import { OrganizationService } from "../../../../gen/console/gatehouse/v1/organization_service_pb.ts";
import { useCan, useClient } from "../../api/api.ts";
import { useQuery } from "../../api/use-query.ts";
import { GroupFrame } from "../../frames/group-frame.tsx";
import { ProjectFrame } from "../../frames/project-frame.tsx";
import { UserFrame } from "../../frames/user-frame.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { toPath } from "../../routing/routes.ts";
import { PageFrame } from "../../ui/page-frame.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { MetadataView } from "./metadata-view.tsx";
import { SharingPanel } from "./sharing-panel.tsx";

/** The metadata of a user. */
export function UserMetadataPage({ params }: PageProps<"organization" | "user">): JSX.Element {
  const client = useClient(MetadataService);
  const mayWrite = useCan()("user.write");
  const userId = params.user;
  return (
    <UserFrame params={params}>
      {() => (
        <MetadataView
          mayWrite={mayWrite}
          calls={{
            list: (page) => client.listUserMetadata({ userId, ...page }),
            get: (key) => client.getUserMetadata({ userId, key }),
            set: (item, options) => client.setUserMetadata({ userId, ...item }, options),
            remove: (key, options) => client.removeUserMetadata({ userId, key }, options),
          }}
        />
      )}
    </UserFrame>
  );
}

/** The metadata of a project. */
export function ProjectMetadataPage({ params }: PageProps<"organization" | "project">): JSX.Element {
  const client = useClient(MetadataService);
  const mayWrite = useCan()("project.write", { project: params.project });
  const projectId = params.project;
  return (
    <ProjectFrame params={params}>
      {() => (
        <MetadataView
          mayWrite={mayWrite}
          calls={{
            list: (page) => client.listProjectMetadata({ projectId, ...page }),
            get: (key) => client.getProjectMetadata({ projectId, key }),
            set: (item, options) => client.setProjectMetadata({ projectId, ...item }, options),
            remove: (key, options) => client.removeProjectMetadata({ projectId, key }, options),
          }}
        />
      )}
    </ProjectFrame>
  );
}

/** The metadata of a group. */
export function GroupMetadataPage({ params }: PageProps<"organization" | "group">): JSX.Element {
  const client = useClient(MetadataService);
  const mayWrite = useCan()("group.write");
  const groupId = params.group;
  return (
    <GroupFrame params={params}>
      {() => (
        <MetadataView
          mayWrite={mayWrite}
          calls={{
            list: (page) => client.listGroupMetadata({ groupId, ...page }),
            get: (key) => client.getGroupMetadata({ groupId, key }),
            set: (item, options) => client.setGroupMetadata({ groupId, ...item }, options),
            remove: (key, options) => client.removeGroupMetadata({ groupId, key }, options),
          }}
        />
      )}
    </GroupFrame>
  );
}

/** The metadata of an application, with the way back to it. */
export function ApplicationMetadataPage({
  params,
}: PageProps<"organization" | "project" | "application">): JSX.Element {
  const client = useClient(MetadataService);
  const applications = useClient(ApplicationService);
  const { project: projectId, application: appId } = params;
  const mayWrite = useCan()("project.app.write", { project: projectId });
  const query = useQuery(
    async () => (await applications.getApplication({ projectId, appId })).application?.name ?? "",
    [applications, projectId, appId],
  );
  const to = toPath("/orgs/:organization/projects/:project/applications/:application", params);
  return (
    <QueryView query={query}>
      {(name) => (
        <PageFrame title={name} parent={{ to, title: name }}>
          <MetadataView
            mayWrite={mayWrite}
            calls={{
              list: (page) => client.listApplicationMetadata({ projectId, appId, ...page }),
              get: (key) => client.getApplicationMetadata({ projectId, appId, key }),
              set: (item, options) => client.setApplicationMetadata({ projectId, appId, ...item }, options),
              remove: (key, options) => client.removeApplicationMetadata({ projectId, appId, key }, options),
            }}
          />
        </PageFrame>
      )}
    </QueryView>
  );
}

/** The metadata of an organization. */
export function OrganizationMetadataPage({ params }: PageProps<"organization">): JSX.Element {
  const client = useClient(MetadataService);
  const organizations = useClient(OrganizationService);
  const { organization: id } = params;
  const mayWrite = useCan()("organization.write");
  const query = useQuery(
    async () => (await organizations.getOrganization({ id })).organization?.name ?? "",
    [organizations, id],
  );
  return (
    <QueryView query={query}>
      {(name) => (
        <PageFrame title={name} tabs={{ of: ["organization"], params }}>
          <MetadataView
            mayWrite={mayWrite}
            calls={{
              list: (page) => client.listOrganizationMetadata({ id, ...page }),
              get: (key) => client.getOrganizationMetadata({ id, key }),
              set: (item, options) => client.setOrganizationMetadata({ id, ...item }, options),
              remove: (key, options) => client.removeOrganizationMetadata({ id, key }, options),
            }}
          />
          {mayWrite && <SharingPanel organizationId={id} />}
        </PageFrame>
      )}
    </QueryView>
  );
}
