-- Nothing here is made from the log. Rows whose time is over are deleted in the background. Times are milliseconds since 1970.

-- What a security key has to sign in a login, one for each login.
CREATE TABLE login_challenges (
  login_id TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL, -- SHA-256 of the challenge, what it is for, and the user whom it is for
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_challenges_by_expiration ON login_challenges (expiration_ms);

-- Links to the page for the first administrator that were used: none is good twice.
CREATE TABLE used_setup_links (
  hash TEXT NOT NULL PRIMARY KEY, -- SHA-256 of the random part of the code
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_setup_links_by_expiration ON used_setup_links (expiration_ms);
