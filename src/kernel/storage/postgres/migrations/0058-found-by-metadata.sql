-- Users are found by their metadata, in the order of their list and by their state: NULL for the metadata of other objects.
ALTER TABLE metadata ADD COLUMN value_digest BYTEA;
ALTER TABLE metadata ADD COLUMN state TEXT COLLATE "C";
ALTER TABLE metadata ADD COLUMN object_date BIGINT;
UPDATE metadata SET value_digest = sha256(convert_to(metadata.key, 'UTF8') || '\x00'::bytea || metadata.value), state = stored_users.state, object_date = stored_users.creation_date
  FROM stored_users WHERE stored_users.id = metadata.object_id;
CREATE INDEX metadata_of_users ON metadata (key, resource_owner, state, object_date, object_id) WHERE state IS NOT NULL;
CREATE INDEX metadata_by_value ON metadata (value_digest, resource_owner, state, object_date, object_id) WHERE value_digest IS NOT NULL;
