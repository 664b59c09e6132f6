import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Groups", de: "Gruppen" };
const permission = "group.read";

/** The pages of groups: of an organization, of one group, and of a user. Their memberships are among the pages of these. */
export const groupPages = [
  definePage({
    pattern: "/orgs/:organization/groups",
    title,
    permission,
    menu: "organization",
    load: async () => (await import("./groups-page.tsx")).GroupsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/groups/new",
    title: { en: "Add group", de: "Gruppe hinzufügen" },
    permission: "group.write",
    load: async () => (await import("./add-group-page.tsx")).AddGroupPage,
  }),
  definePage({
    pattern: "/orgs/:organization/groups/:group",
    title: { en: "Members", de: "Mitglieder" },
    permission,
    tab: "group",
    load: async () => (await import("./members-page.tsx")).GroupMembersPage,
  }),
  definePage({
    pattern: "/orgs/:organization/groups/:group/grants",
    title: { en: "Roles", de: "Rollen" },
    permission: "user.grant.read",
    tab: "group",
    load: async () => (await import("./grants-page.tsx")).GroupGrantsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/groups/:group/settings",
    title: { en: "Settings", de: "Einstellungen" },
    permission,
    tab: "group",
    load: async () => (await import("./settings-page.tsx")).GroupSettingsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/users/:user/groups",
    title,
    permission,
    tab: "user",
    load: async () => (await import("./user-groups-page.tsx")).UserGroupsPage,
  }),
];
