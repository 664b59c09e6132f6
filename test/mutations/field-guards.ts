import type { Guard } from "./guards.ts";

/** What the fields and filters of requests promise. */
export const fieldGuards: readonly Guard[] = [
  {
    name: "filters: each finds its rows on an index",
    file: "src/storage/sqlite/migrations/0002-life-cycle.sql",
    changes: [["projects (resource_owner, state, creation_date, id)", "projects (resource_owner, id)"]],
    in: "test/api/query-plans.test.ts",
    test: "ListProjects",
  },
];
