import { lowerAscii } from "../../../kernel/base/names/folding.ts";
import { equals } from "../../../kernel/base/sql.ts";
import { defineSearched } from "../../search/searched.ts";
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
}

/** Users, who are found by the words of their names, and by their id, email address and phone number in full. */
export const searchedUsers = defineSearched<SearchedRow>({
  table: "user_words",
  from: "stored_users",
  columns: ["resource_owner", "username", "given_name", "family_name", "display_name", "name", "email"],
  // The domain of an email address is no word: it would find everybody of a company.
  toIndexed: ({ id, resource_owner, username, email, given_name, family_name, display_name, name }) => ({
    id,
    ownerIds: [resource_owner],
    words: [username, email?.slice(0, email.lastIndexOf("@")), given_name, family_name, display_name, name],
  }),
  added: ["user.added"],
  changed: ["user.changed", "user.email.set"],
  toWhole(text) {
    const phone = normalizePhone(text);
    return [
      ...(text.includes("@") ? [equals("lower(email)", lowerAscii(text))] : []),
      ...(phone === undefined ? [] : [equals("phone", phone)]),
    ];
  },
});
