-- URLs that are asked during logins, of an organization or of the instance.
CREATE TABLE hooks (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  state TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  url TEXT NOT NULL,
  timeout_ms INTEGER NOT NULL,
  fail_closed INTEGER NOT NULL, -- 1: a login is refused while the hook fails
  metadata_keys TEXT NOT NULL, -- JSON: the keys of metadata that the hook may set
  secrets TEXT NOT NULL -- JSON: ids with their dates, oldest first
) STRICT;
CREATE INDEX hooks_by_owner ON hooks (resource_owner, creation_date, id);
CREATE UNIQUE INDEX hooks_by_name ON hooks (resource_owner, folded_name);

-- What hooks have answered about the tokens of a code, encrypted under the code.
ALTER TABLE authorization_codes ADD COLUMN hook_answers TEXT;

-- Below which name tokens tell what hooks add; '' for none.
ALTER TABLE stored_applications ADD COLUMN hook_claim TEXT NOT NULL DEFAULT '';
