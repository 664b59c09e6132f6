import type { Taken, TakenAlong } from "../../kernel/events/event.ts";
import { usersOfOrganization } from "../../kernel/events/taken-along.ts";

/** The table of what users have, and which of its rows are of the type. */
const parts: readonly (Pick<Taken, "type"> & { readonly table: string; readonly are?: string })[] = [
  { type: "user.code_factor", table: "second_factors", are: "type IN ('EMAIL_CODE', 'SMS_CODE')" },
  { type: "user.idp_link", table: "idp_links" },
  { type: "user.key", table: "credentials", are: "kind = 'key'" },
  { type: "user.passkey", table: "passkeys" },
  { type: "user.token", table: "credentials", are: "kind = 'token'" },
  { type: "user.totp", table: "second_factors", are: "type = 'TOTP'" },
  { type: "user.u2f", table: "second_factors", are: "type = 'U2F'" },
];

/** What goes with the removal of a token, key or secret of a user: the tokens and keys that were made with it. */
const madeWith: readonly Taken[] = (["user.key", "user.token"] as const).map((type) => ({
  type,
  rows: [`SELECT 1 FROM credentials WHERE user_id = :id AND kind = '${type.slice("user.".length)}'`],
  isPart: true,
}));

/** What goes with users, and with a part of them. */
export const takenOfUsers: TakenAlong = {
  "user.removed": parts.map(({ type, table, are = "TRUE" }) => ({
    type,
    rows: [`SELECT 1 FROM ${table} WHERE user_id = :id AND ${are}`],
  })),
  "user.token.removed": madeWith,
  "user.key.removed": madeWith,
  "user.secret.removed": madeWith,
  "identity_provider.removed": [
    { type: "user.idp_link", rows: ["SELECT 1 FROM idp_links WHERE idp_id = :id"] },
  ],
  "organization.removed": [
    { type: "user", rows: ["SELECT 1 FROM users WHERE resource_owner = :id"] },
    ...parts.map(({ type, table, are = "TRUE" }) => ({
      type,
      ofEach: [
        { parents: usersOfOrganization, rows: `SELECT 1 FROM ${table} WHERE user_id IN :ids AND ${are}` },
      ],
    })),
  ],
};
