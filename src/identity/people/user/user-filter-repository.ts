import type { FilterColumn, ListPart } from "../../../kernel/base/list.ts";
import { allOf, type Condition, equals, unindexed } from "../../../kernel/base/sql.ts";
import { parseMetadataFilter } from "./user-filter.ts";

// The rows of the metadata of users hold what the list of users needs of them: their state, and when they were made.

const states = ["ACTIVE", "INACTIVE", "LOCKED"];

/** The filter of users by their metadata. Where nothing else leads to fewer users, the metadata lead to them, in the order of the list. */
export function metadataFilter(columns: readonly string[]): FilterColumn {
  const order = ["state", "object_date", "object_id"];
  return {
    column: "id",
    toCondition(column, value) {
      const hasKey = equals("metadata.key", parseMetadataFilter(value).key);
      const { sql, parameters } = allOf([hasKey, hasAsked(value)]);
      return {
        sql: `EXISTS (SELECT 1 FROM metadata WHERE metadata.object_id = ${column} AND ${sql})`,
        parameters,
      };
    },
    elsewhere: {
      indexes: [
        { table: "metadata", columns: ["key", "resource_owner", ...order], isUnique: false },
        { table: "metadata", columns: ["value_digest", "resource_owner", ...order], isUnique: false },
      ],
      toParts: ({ of, values: { metadata = "", state } }) =>
        (state === undefined ? states : [state]).map(
          (one): ListPart => ({
            // The metadata lead to the users, never the other way round.
            from: `metadata JOIN users ON users.id = ${unindexed("metadata.object_id")}`,
            columns: columns.map((column) => `users.${column} AS ${column}`),
            where: [equals("metadata.resource_owner", of), hasAsked(metadata), equals("metadata.state", one)],
            order: ["metadata.object_date", "metadata.object_id"],
          }),
        ),
    },
  };
}

/** A digest is of the key and its value, so it alone leads to them. */
function hasAsked(value: string): Condition {
  const { key, digest } = parseMetadataFilter(value);
  return digest === undefined
    ? equals("metadata.key", key)
    : equals("metadata.value_digest", Buffer.from(digest, "hex"));
}
