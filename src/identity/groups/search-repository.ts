import { defineSearched } from "../search/searched.ts";

interface SearchedRow {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly external_id: string;
  readonly resource_owner: string;
}

/** Groups, which are found by the words of their names and descriptions, and by their ids in full. */
export const searchedGroups = defineSearched<SearchedRow>({
  table: "group_words",
  select: "SELECT id, name, description, external_id, resource_owner FROM stored_groups",
  toIndexed: ({ id, name, description, external_id: externalId, resource_owner: ownerId }) => ({
    id,
    ownerIds: [ownerId],
    words: [name, description],
    whole: [id, externalId],
  }),
  added: ["group.added"],
  changed: ["group.changed"],
});
