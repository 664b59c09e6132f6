import { lowerAscii } from "../../../kernel/base/names/folding.ts";
import { defineSearched } from "../../search/searched.ts";
import { type IndexedObject, replaceWords } from "../../search/word-repository.ts";
import { normalizePhone } from "./phone-number.ts";

interface SearchedRow {
  readonly id: string;
  readonly resource_owner: string;
  readonly username: string | null;
  readonly given_name: string | null;
  readonly family_name: string | null;
  readonly display_name: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

const table = "user_words";
const select = `SELECT id, resource_owner, username, given_name, family_name, display_name, name, email, phone
  FROM stored_users`;

/** Users, who are found by the words of their names, and by their id, email address and phone number in full. */
export const searchedUsers = defineSearched<SearchedRow>({
  table,
  select,
  toIndexed,
  added: ["user.added"],
  changed: ["user.changed", "user.email.set", "user.phone.set"],
  others: {
    // Removals are applied here first: the user still has the number.
    "user.phone.removed": async (tx, { aggregateId }) => {
      const row = await tx.get<SearchedRow>(`${select} WHERE id = ?`, [aggregateId]);
      if (row !== undefined) await replaceWords(tx, table, toIndexed({ ...row, phone: null }));
    },
  },
  toWhole: (text) => [text.trim(), normalizePhone(text) ?? ""].map(lowerAscii),
});

/** The domain of an email address is no word: it would find everybody of a company. */
function toIndexed(row: SearchedRow): IndexedObject {
  const { id, username, given_name, family_name, display_name, name, email, phone } = row;
  const local = email?.slice(0, email.lastIndexOf("@"));
  return {
    id,
    ownerIds: [row.resource_owner],
    words: [username, local, given_name, family_name, display_name, name],
    whole: [id, email && lowerAscii(email), phone],
  };
}
