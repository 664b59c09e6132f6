-- How an application came to be here that nobody has created: METADATA_DOCUMENT or REGISTRATION; '': somebody has created it.
ALTER TABLE stored_applications ADD COLUMN external TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX applications_by_external ON stored_applications (external, creation_date, id) WHERE external <> '';
CREATE OR REPLACE VIEW applications AS
  SELECT id, sequence, creation_date, resource_owner, state, project_id, name, folded_name, entity_id, metadata_xml,
    metadata_url, metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until,
    kind, settings, secret_id, back_channel_logout_uri, resource, external
  FROM stored_applications
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
-- Which clients may use the instance that nobody has created: one row, or none.
CREATE TABLE external_client_settings (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  kinds TEXT COLLATE "C" NOT NULL, -- JSON
  host_patterns TEXT COLLATE "C" NOT NULL, -- JSON
  project_id TEXT COLLATE "C" NOT NULL -- '': none
);
-- When the user confirmed it for the last time, in microseconds since 1970.
ALTER TABLE confirmations ADD COLUMN confirmation_date BIGINT NOT NULL DEFAULT 0;
UPDATE confirmations SET confirmation_date = found.date
  FROM (SELECT payload::jsonb ->> 'user_id' AS user_id, payload::jsonb ->> 'application_id' AS application_id, MAX(date) AS date
    FROM events WHERE type = 'authorization.confirmed' GROUP BY 1, 2) AS found
  WHERE found.user_id = confirmations.user_id AND found.application_id = confirmations.application_id;
