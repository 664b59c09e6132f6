-- Data that callers keep at users, organizations, projects, applications and groups.
CREATE TABLE metadata (
  object_id TEXT COLLATE "C" NOT NULL,
  key TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  value BYTEA NOT NULL,
  PRIMARY KEY (object_id, key)
);
CREATE INDEX metadata_by_object ON metadata (object_id, creation_date, key);
