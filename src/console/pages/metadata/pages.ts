import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Metadata", de: "Metadaten" };

/** The metadata of users, projects, applications and groups. */
export const metadataPages = [
  definePage({
    pattern: "/orgs/:organization/users/:user/metadata",
    title,
    permission: "user.read",
    tab: "user",
    load: async () => (await import("./metadata-pages.tsx")).UserMetadataPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/metadata",
    title,
    permission: "project.read",
    tab: "project",
    load: async () => (await import("./metadata-pages.tsx")).ProjectMetadataPage,
  }),
  definePage({
    pattern: "/orgs/:organization/projects/:project/applications/:application/metadata",
    title,
    permission: "project.app.read",
    load: async () => (await import("./metadata-pages.tsx")).ApplicationMetadataPage,
  }),
  definePage({
    pattern: "/orgs/:organization/groups/:group/metadata",
    title,
    permission: "group.read",
    tab: "group",
    load: async () => (await import("./metadata-pages.tsx")).GroupMetadataPage,
  }),
  definePage({
    pattern: "/orgs/:organization/metadata",
    title,
    permission: "organization.read",
    tab: "organization",
    load: async () => (await import("./metadata-pages.tsx")).OrganizationMetadataPage,
  }),
];
