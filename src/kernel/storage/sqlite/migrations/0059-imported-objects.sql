-- What was imported: the object that each object of another system became. The old id is there by its SHA-256 in hexadecimal. The table
-- is not made from the log: it stays as it is when the others are made again.
CREATE TABLE imported_objects (
  source TEXT NOT NULL,
  kind TEXT NOT NULL,
  old_id_digest TEXT NOT NULL,
  object_id TEXT NOT NULL,
  PRIMARY KEY (source, kind, old_id_digest)
) STRICT, WITHOUT ROWID;
