-- The URI of an API that tokens are given for, without a final slash; '': none.
ALTER TABLE stored_applications ADD COLUMN resource TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX applications_by_resource ON stored_applications (resource) WHERE resource <> '';
CREATE OR REPLACE VIEW applications AS
  SELECT id, sequence, creation_date, resource_owner, state, project_id, name, folded_name, entity_id, metadata_xml,
    metadata_url, metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until,
    kind, settings, secret_id, back_channel_logout_uri, resource
  FROM stored_applications
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
-- The applications of the APIs that were asked for, as JSON; null: none was named.
ALTER TABLE authorizations ADD COLUMN resources TEXT COLLATE "C";
ALTER TABLE device_authorizations ADD COLUMN resources TEXT COLLATE "C";
