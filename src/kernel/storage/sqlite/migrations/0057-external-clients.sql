-- How an application came to be here that nobody has created: METADATA_DOCUMENT or REGISTRATION; '': somebody has created it.
ALTER TABLE stored_applications ADD COLUMN external TEXT NOT NULL DEFAULT '';
CREATE INDEX applications_by_external ON stored_applications (external, creation_date, id) WHERE external <> '';
-- Which clients may use the instance that nobody has created: one row, or none.
CREATE TABLE external_client_settings (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  kinds TEXT NOT NULL, -- JSON
  host_patterns TEXT NOT NULL, -- JSON
  project_id TEXT NOT NULL -- '': none
) STRICT, WITHOUT ROWID;
-- When the user confirmed it for the last time, in microseconds since 1970.
ALTER TABLE confirmations ADD COLUMN confirmation_date INTEGER NOT NULL DEFAULT 0;
UPDATE confirmations SET confirmation_date = found.date
  FROM (SELECT json_extract(payload, '$.user_id') AS user_id, json_extract(payload, '$.application_id') AS application_id, MAX(date) AS date
    FROM events WHERE type = 'authorization.confirmed' GROUP BY 1, 2) AS found
  WHERE found.user_id = confirmations.user_id AND found.application_id = confirmations.application_id;
