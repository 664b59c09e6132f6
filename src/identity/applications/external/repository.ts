import type { ReadTransaction } from "../../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../../kernel/base/details.ts";
import type { ExternalClientsId } from "../../../kernel/base/ids.ts";
import type { Projection } from "../../../kernel/events/event.ts";
import type { ExternalClientKind } from "../application/application.ts";
import type { StoredExternalClientSettings } from "./settings.ts";

/** How events fill the table of the settings. */
export const externalClientsProjection: Projection = {
  tables: ["external_client_settings"],
  on: {
    "external_clients.set": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        `INSERT INTO external_client_settings (id, sequence, creation_date, resource_owner, kinds, host_patterns, project_id)
         VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence, kinds = excluded.kinds,
           host_patterns = excluded.host_patterns, project_id = excluded.project_id`,
        [
          aggregateId,
          date,
          date,
          resourceOwner,
          JSON.stringify(payload.kinds),
          JSON.stringify(payload.host_patterns),
          payload.project_id,
        ],
      );
    },
  },
};

interface SettingsRow extends DetailsRow {
  readonly id: ExternalClientsId;
  readonly kinds: string;
  readonly host_patterns: string;
  readonly project_id: string;
}

const select = `SELECT ${["id", ...detailsColumns, "kinds", "host_patterns", "project_id"].join(", ")}
  FROM external_client_settings LIMIT 1`;

/** Finds the settings; undefined: nobody has set any. */
export async function findExternalClientSettings(
  tx: ReadTransaction,
): Promise<StoredExternalClientSettings | undefined> {
  const row = await tx.get<SettingsRow>(select, []);
  return (
    row && {
      id: row.id,
      details: toDetails(row),
      kinds: JSON.parse(row.kinds) as readonly ExternalClientKind[], // this and the next: written above
      hostPatterns: JSON.parse(row.host_patterns) as readonly string[],
      projectId: row.project_id,
    }
  );
}
