import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Hooks", de: "Hooks" };
const addition = { en: "Add hook", de: "Hook hinzufügen" };
const one = { en: "Hook", de: "Hook" };

/** The pages of the hooks of an organization, and of those of the instance. */
export const hookPages = [
  definePage({
    pattern: "/orgs/:organization/hooks",
    title,
    permission: "policy.read",
    menu: "organization",
    load: async () => (await import("./hooks-page.tsx")).HooksPage,
  }),
  definePage({
    pattern: "/orgs/:organization/hooks/new",
    title: addition,
    permission: "policy.write",
    load: async () => (await import("./add-hook-page.tsx")).AddHookPage,
  }),
  definePage({
    pattern: "/orgs/:organization/hooks/:hook",
    title: one,
    permission: "policy.read",
    load: async () => (await import("./hook-page.tsx")).HookPage,
  }),
  definePage({
    pattern: "/hooks",
    title,
    permission: "policy.read",
    menu: "instance",
    load: async () => (await import("./hooks-page.tsx")).InstanceHooksPage,
  }),
  definePage({
    pattern: "/hooks/new",
    title: addition,
    permission: "policy.write",
    load: async () => (await import("./add-hook-page.tsx")).AddInstanceHookPage,
  }),
  definePage({
    pattern: "/hooks/:hook",
    title: one,
    permission: "policy.read",
    load: async () => (await import("./hook-page.tsx")).HookPage,
  }),
];
