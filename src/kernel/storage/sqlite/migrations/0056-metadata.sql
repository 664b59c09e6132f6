-- Data that callers keep at users, organizations, projects, applications and groups.
CREATE TABLE metadata (
  object_id TEXT NOT NULL,
  key TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (object_id, key)
) STRICT;
CREATE INDEX metadata_by_object ON metadata (object_id, creation_date, key);
