import { defineSearched } from "../search/searched.ts";

interface SearchedRow {
  readonly id: string;
  readonly name: string;
  readonly resource_owner: string;
  readonly project_id: string;
}

/** Applications, which are found by the words of their names, and by their id, which is their client id, in full. */
export const searchedApplications = defineSearched<SearchedRow>({
  table: "application_words",
  from: "stored_applications",
  columns: ["name", "resource_owner", "project_id"],
  toIndexed: ({ id, name, resource_owner, project_id }) => ({
    id,
    ownerIds: [project_id, resource_owner],
    words: [name],
  }),
  added: [
    "application.added",
    "application.oidc.added",
    "application.api.added",
    "application.external.added",
  ],
  changed: ["application.changed", "application.external.changed"],
});
