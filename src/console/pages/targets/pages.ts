import { definePage } from "../../routing/page-entry.ts";

const title = { en: "Webhooks", de: "Webhooks" };
const addition = { en: "Add webhook", de: "Webhook hinzufügen" };
const one = { en: "Webhook", de: "Webhook" };

/** The pages of the targets of an organization, and of those of the instance. */
export const targetPages = [
  definePage({
    pattern: "/orgs/:organization/webhooks",
    title,
    permission: "policy.read",
    menu: "organization",
    load: async () => (await import("./targets-page.tsx")).TargetsPage,
  }),
  definePage({
    pattern: "/orgs/:organization/webhooks/new",
    title: addition,
    permission: "policy.write",
    load: async () => (await import("./add-target-page.tsx")).AddTargetPage,
  }),
  definePage({
    pattern: "/orgs/:organization/webhooks/:target",
    title: one,
    permission: "policy.read",
    load: async () => (await import("./target-page.tsx")).TargetPage,
  }),
  definePage({
    pattern: "/webhooks",
    title,
    permission: "policy.read",
    menu: "instance",
    load: async () => (await import("./targets-page.tsx")).InstanceTargetsPage,
  }),
  definePage({
    pattern: "/webhooks/new",
    title: addition,
    permission: "policy.write",
    load: async () => (await import("./add-target-page.tsx")).AddInstanceTargetPage,
  }),
  definePage({
    pattern: "/webhooks/:target",
    title: one,
    permission: "policy.read",
    load: async () => (await import("./target-page.tsx")).TargetPage,
  }),
];
