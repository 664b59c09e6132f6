-- Users are found by their metadata, in the order of their list and by their state: NULL for the metadata of other objects.
ALTER TABLE metadata ADD COLUMN value_digest BLOB;
ALTER TABLE metadata ADD COLUMN state TEXT;
ALTER TABLE metadata ADD COLUMN object_date INTEGER;
UPDATE metadata SET value_digest = sha256(CAST(metadata.key || CHAR(0) || metadata.value AS BLOB)), state = stored_users.state, object_date = stored_users.creation_date
  FROM stored_users WHERE stored_users.id = metadata.object_id;
CREATE INDEX metadata_of_users ON metadata (key, resource_owner, state, object_date, object_id) WHERE state IS NOT NULL;
CREATE INDEX metadata_by_value ON metadata (value_digest, resource_owner, state, object_date, object_id) WHERE value_digest IS NOT NULL;
