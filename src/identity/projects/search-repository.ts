import { defineSearched } from "../search/searched.ts";

interface SearchedRow {
  readonly id: string;
  readonly name: string;
  readonly resource_owner: string;
}

/** Projects, which are found by the words of their names, and by their id in full. */
export const searchedProjects = defineSearched<SearchedRow>({
  table: "project_words",
  select: "SELECT id, name, resource_owner FROM stored_projects",
  toIndexed: ({ id, name, resource_owner }) => ({
    id,
    ownerIds: [resource_owner],
    words: [name],
    whole: [id],
  }),
  added: ["project.added"],
  changed: ["project.changed"],
});
