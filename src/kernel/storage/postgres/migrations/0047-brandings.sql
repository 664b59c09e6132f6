-- How pages and mails look. An organization has at most one branding, and so has the instance.
CREATE TABLE label_policies (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL UNIQUE, -- the organization, or the instance
  draft TEXT COLLATE "C" NOT NULL, -- JSON, as in the events
  live TEXT COLLATE "C" -- likewise, NULL until it is activated
);

-- The images of drafts and of live brandings. Not made from the log, which has their hashes only.
CREATE TABLE label_images (
  hash TEXT COLLATE "C" NOT NULL, -- SHA-256 of the bytes, in hexadecimal digits
  resource_owner TEXT COLLATE "C" NOT NULL,
  content_type TEXT COLLATE "C" NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (hash, resource_owner)
);
CREATE INDEX label_images_by_owner ON label_images (resource_owner);
