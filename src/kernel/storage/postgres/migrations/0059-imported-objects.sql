-- What was imported: the object that each object of another system became. The old id is there by its SHA-256 in hexadecimal. The table
-- is not made from the log: it stays as it is when the others are made again.
CREATE TABLE imported_objects (
  source TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  old_id_digest TEXT COLLATE "C" NOT NULL,
  object_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (source, kind, old_id_digest)
);
