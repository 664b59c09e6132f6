import { equals } from "../../kernel/base/sql.ts";
import { defineSearched } from "../search/searched.ts";

interface SearchedRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly resource_owner: string;
}

/** Groups, which are found by the words of their names and descriptions, and by their ids in full. */
export const searchedGroups = defineSearched<SearchedRow>({
  table: "group_words",
  from: "stored_groups",
  columns: ["name", "description", "resource_owner"],
  toIndexed: ({ id, name, description, resource_owner: ownerId }) => ({
    id,
    ownerIds: [ownerId],
    words: [name, description],
  }),
  added: ["group.added"],
  changed: ["group.changed"],
  toWhole: (text) => [equals("external_id", text)],
});
