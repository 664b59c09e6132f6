-- Passwords of human users. The hash is in `secrets`; what is known of it besides is made from the log.
ALTER TABLE stored_users ADD COLUMN password_date INTEGER; -- when it was set; null = the user has none
ALTER TABLE stored_users ADD COLUMN is_password_change_required INTEGER NOT NULL DEFAULT 0;
ALTER TABLE stored_users ADD COLUMN password_creator TEXT; -- who set it, or was given the code that set it
ALTER TABLE stored_users ADD COLUMN password_made_with_token_id TEXT; -- the token of that call; null = none, or a login

-- Tries of passwords, factors and codes that have not proved right. Not made from the log. Rows whose time is over are deleted in
-- the background. Times are milliseconds since 1970.
CREATE TABLE tries (
  kind TEXT NOT NULL,
  hash TEXT NOT NULL, -- keyed, of a username, user or address
  user_id TEXT, -- of the user that they are about; null = there is none
  count INTEGER NOT NULL,
  instants TEXT NOT NULL, -- JSON array of times
  expiration_ms INTEGER NOT NULL,
  PRIMARY KEY (kind, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX tries_by_user ON tries (user_id, kind);
CREATE INDEX tries_by_expiration ON tries (expiration_ms);
