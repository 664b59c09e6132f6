-- The id that a person had in another system; NULL without one.
ALTER TABLE stored_users ADD COLUMN imported_id TEXT;
CREATE UNIQUE INDEX users_by_imported_id ON stored_users (imported_id);

-- Imported ids that were ever given, by their SHA-256 in hexadecimal: also of users that were removed, so that nobody else gets them.
CREATE TABLE imported_ids (
  digest TEXT NOT NULL PRIMARY KEY,
  creation_date INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A notice outlives a removed user, whom the application may know by the imported id.
ALTER TABLE logout_notices ADD COLUMN imported_id TEXT;
