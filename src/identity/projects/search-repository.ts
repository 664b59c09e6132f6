import { defineSearched } from "../search/searched.ts";

interface SearchedRow {
  readonly id: string;
  readonly name: string;
  readonly resource_owner: string;
}

/** Projects, which are found by the words of their names, and by their id in full. */
export const searchedProjects = defineSearched<SearchedRow>({
  table: "project_words",
  from: "stored_projects",
  columns: ["name", "resource_owner"],
  toIndexed: ({ id, name, resource_owner }) => ({
    id,
    ownerIds: [resource_owner],
    words: [name],
  }),
  added: ["project.added"],
  changed: ["project.changed"],
});
