import type { Guard } from "./guards.ts";

/** What the fields and filters of requests promise. */
export const fieldGuards: readonly Guard[] = [
  {
    name: "filters: each finds its rows on an index",
    file: "src/storage/sqlite/migrations/0002-life-cycle.sql",
    changes: [["projects (resource_owner, state, creation_date, id)", "projects (resource_owner, id)"]],
    in: "test/api/query-plans.sized.test.ts",
    test: "ListProjects",
  },
  {
    name: "filters: each leaves out what does not match",
    file: "src/features/events/rpc.ts",
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
    file: "src/features/projects/project.ts",
    changes: [["has_project_check: settings.hasProjectCheck", "has_project_check: false"]],
    in: "test/api/field-effects.test.ts",
    test: "AddProject has an effect",
  },
];
