-- How pages and mails look. An organization has at most one branding, and so has the instance.
CREATE TABLE label_policies (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL UNIQUE, -- the organization, or the instance
  draft TEXT NOT NULL, -- JSON, as in the events
  live TEXT -- likewise, NULL until it is activated
) STRICT, WITHOUT ROWID;

-- The images of drafts and of live brandings. Not made from the log, which has their hashes only.
CREATE TABLE label_images (
  hash TEXT NOT NULL, -- SHA-256 of the bytes, in hexadecimal digits
  resource_owner TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes BLOB NOT NULL,
  PRIMARY KEY (hash, resource_owner)
) STRICT;
CREATE INDEX label_images_by_owner ON label_images (resource_owner);
