import { defineSearched } from "../search/searched.ts";

/** Organizations, which are found by the words of their names, and by their id in full. */
export const searchedOrganizations = defineSearched<{ readonly id: string; readonly name: string }>({
  table: "organization_words",
  from: "stored_organizations",
  columns: ["name"],
  toIndexed: ({ id, name }) => ({ id, ownerIds: [id], words: [name] }),
  added: ["organization.added"],
  changed: ["organization.changed"],
});
