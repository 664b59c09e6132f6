-- The keys that sign ID tokens and access tokens. Made from the log; the private keys are in `secrets`.
CREATE TABLE signing_keys (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  state TEXT NOT NULL,
  public_key TEXT NOT NULL, -- a JSON Web Key
  expiration_ms INTEGER -- until when a retired key is published, in milliseconds since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX signing_keys_by_instance ON signing_keys (resource_owner, creation_date, id);

-- Service users sign in with keys and secrets. They are credentials as personal access tokens are: roles are left out for them
-- in the same way, and what was made with one goes with it. So all of them are rows of one table.
ALTER TABLE personal_access_tokens RENAME TO credentials;
ALTER TABLE credentials ADD COLUMN kind TEXT NOT NULL DEFAULT 'token'; -- token, key or secret
ALTER TABLE credentials ADD COLUMN public_key TEXT; -- of a key: a JSON Web Key
DROP INDEX personal_access_tokens_by_user;
DROP INDEX personal_access_tokens_by_parent;
CREATE INDEX credentials_by_user ON credentials (user_id, creation_date, id);
CREATE INDEX credentials_by_kind ON credentials (user_id, kind, creation_date, id);
CREATE INDEX credentials_by_parent ON credentials (made_with_token_id);

-- What access tokens of a service user look like; null = the default.
ALTER TABLE stored_users ADD COLUMN access_token_type TEXT;
ALTER TABLE stored_users ADD COLUMN signing_algorithm TEXT;
-- How often the user was locked. An access token holds only as long as this number is the one of its time.
ALTER TABLE stored_users ADD COLUMN lock_count INTEGER NOT NULL DEFAULT 0;
UPDATE stored_users SET lock_count = (SELECT COUNT(*) FROM events e WHERE e.aggregate_type = 'user'
    AND e.aggregate_id = stored_users.id AND e.type = 'user.locked')
  WHERE id IN (SELECT e.aggregate_id FROM events e WHERE e.type = 'user.locked');

-- From here on nothing is made from the log. Rows whose time is over are deleted in the background. Times are milliseconds
-- since 1970. Of tokens and ids that others may know, only a SHA-256 hash (base64url) is stored.

-- Opaque access tokens.
CREATE TABLE access_tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  user_id TEXT NOT NULL,
  credential_id TEXT NOT NULL, -- the key or secret that it was got with: it goes with it
  client_id TEXT NOT NULL,
  lock_count INTEGER NOT NULL, -- that of the user when it was made
  scope TEXT NOT NULL, -- scopes with a space between each
  audience TEXT NOT NULL, -- JSON array
  issued_ms INTEGER NOT NULL,
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX access_tokens_by_credential ON access_tokens (credential_id);
CREATE INDEX access_tokens_by_expiration ON access_tokens (expiration_ms);

-- Access tokens of both kinds that were revoked before their time was over.
CREATE TABLE revoked_access_tokens (
  hash TEXT NOT NULL PRIMARY KEY, -- of an opaque token, or of the id of a JWT
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX revoked_access_tokens_by_expiration ON revoked_access_tokens (expiration_ms);

-- Assertions with which clients have authenticated: none is accepted twice.
CREATE TABLE used_assertions (
  hash TEXT NOT NULL PRIMARY KEY,
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX used_assertions_by_expiration ON used_assertions (expiration_ms);

-- How often a client was authenticated wrongly from an address within a minute.
CREATE TABLE client_tries (
  hash TEXT NOT NULL PRIMARY KEY, -- keyed, of client and address
  count INTEGER NOT NULL,
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX client_tries_by_expiration ON client_tries (expiration_ms);
