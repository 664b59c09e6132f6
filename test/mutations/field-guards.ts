import type { Guard } from "./guards.ts";

/** What the fields and filters of requests promise, and what names may hold. */
export const fieldGuards: readonly Guard[] = [
  {
    name: "filters: each finds its rows on an index",
    file: "src/kernel/storage/sqlite/migrations/0002-life-cycle.sql",
    changes: [["projects (resource_owner, state, creation_date, id)", "projects (resource_owner, id)"]],
    in: "test/api/query-plans.sized.test.ts",
    test: "ListProjects",
  },
  {
    name: "filters: each leaves out what does not match",
    file: "src/identity/events/rpc.ts",
    changes: [
      [
        "return { aggregateType, aggregateId, eventType, editor };",
        'return { aggregateType, aggregateId, eventType, editor: "" };',
      ],
    ],
    in: "test/api/filter-effects.test.ts",
    test: "ListEvents shows by editor",
  },
  {
    name: "fields: each is stored and shown",
    file: "src/identity/projects/project.ts",
    changes: [["has_project_check: settings.hasProjectCheck", "has_project_check: false"]],
    in: "test/api/field-effects.test.ts",
    test: "AddProject has an effect",
  },
  {
    name: "names: what is not seen",
    file: "src/kernel/base/names/visible-name.ts",
    changes: [["name !== stored[field] && !isVisible(name)", "false"]],
    in: "test/kernel/base/names/visible-name.test.ts",
  },
  {
    name: "names: another name that nobody sees, for one that is kept",
    file: "src/kernel/base/names/visible-name.ts",
    changes: [["name !== stored[field] &&", "stored[field] === undefined &&"]],
    in: "test/kernel/base/names/visible-name.test.ts",
  },
  {
    name: "names: a username that differs in what is not seen",
    file: "src/kernel/base/names/unique-name.ts",
    changes: [
      ["parameters: [folded, `${folded} `]", "parameters: [toUniqueName(name), `${toUniqueName(name)} `]"],
    ],
    in: "test/identity/instance/unique-name-repository.test.ts",
  },
  {
    name: "names: what a provider sends",
    file: "src/sites/federation/provider/identity.ts",
    changes: [["textOf(withoutInvisible(text))", "text"]],
    in: "test/sites/federation/provider/identity.test.ts",
  },
  {
    name: "names: what people type who register",
    file: "src/sites/login/forms/profile.ts",
    changes: [[" && isVisible(value)", ""]],
    in: "test/sites/login/external/identity-profile.test.ts",
  },
  {
    name: "names: isolated on pages",
    file: "src/sites/login/markup/html.ts",
    changes: [
      ["html`<bdi>${", "html`${"],
      ["}</bdi>`", "}`"],
    ],
    in: "test/sites/login/pages.test.ts",
  },
];
