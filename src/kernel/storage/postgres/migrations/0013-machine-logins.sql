-- The keys that sign ID tokens and access tokens. Made from the log; the private keys are in `secrets`.
CREATE TABLE signing_keys (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  algorithm TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  public_key TEXT COLLATE "C" NOT NULL, -- a JSON Web Key
  expiration_ms BIGINT -- until when a retired key is published, in milliseconds since 1970
);
CREATE INDEX signing_keys_by_instance ON signing_keys (resource_owner, creation_date, id);

-- Service users sign in with keys and secrets. They are credentials as personal access tokens are: roles are left out for them
-- in the same way, and what was made with one goes with it. So all of them are rows of one table.
ALTER TABLE personal_access_tokens RENAME TO credentials;
ALTER TABLE credentials ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'token'; -- token, key or secret
ALTER TABLE credentials ADD COLUMN public_key TEXT COLLATE "C"; -- of a key: a JSON Web Key
ALTER INDEX personal_access_tokens_by_user RENAME TO credentials_by_user;
ALTER INDEX personal_access_tokens_by_parent RENAME TO credentials_by_parent;
CREATE INDEX credentials_by_kind ON credentials (user_id, kind, creation_date, id);

-- Processes of the version before read and write tokens by this name until they are replaced.
CREATE VIEW personal_access_tokens AS
  SELECT id, sequence, creation_date, resource_owner, user_id, expiration_ms, creator, made_with_token_id, was_limited
  FROM credentials WHERE kind = 'token';

-- What access tokens of a service user look like; null = the default.
ALTER TABLE stored_users ADD COLUMN access_token_type TEXT COLLATE "C";
ALTER TABLE stored_users ADD COLUMN signing_algorithm TEXT COLLATE "C";
-- How often the user was locked. An access token holds only as long as this number is the one of its time.
ALTER TABLE stored_users ADD COLUMN lock_count BIGINT NOT NULL DEFAULT 0;
UPDATE stored_users SET lock_count = (SELECT COUNT(*) FROM events e WHERE e.aggregate_type = 'user'
    AND e.aggregate_id = stored_users.id AND e.type = 'user.locked')
  WHERE id IN (SELECT e.aggregate_id FROM events e WHERE e.type = 'user.locked');

CREATE OR REPLACE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description,
    access_token_type, signing_algorithm, lock_count
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

-- From here on nothing is made from the log. Rows whose time is over are deleted in the background. Times are milliseconds
-- since 1970. Of tokens and ids that others may know, only a SHA-256 hash (base64url) is stored.

-- Opaque access tokens.
CREATE TABLE access_tokens (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  user_id TEXT COLLATE "C" NOT NULL,
  credential_id TEXT COLLATE "C" NOT NULL, -- the key or secret that it was got with: it goes with it
  client_id TEXT COLLATE "C" NOT NULL,
  lock_count BIGINT NOT NULL, -- that of the user when it was made
  scope TEXT COLLATE "C" NOT NULL, -- scopes with a space between each
  audience TEXT COLLATE "C" NOT NULL, -- JSON array
  issued_ms BIGINT NOT NULL,
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX access_tokens_by_credential ON access_tokens (credential_id);
CREATE INDEX access_tokens_by_expiration ON access_tokens (expiration_ms);

-- Access tokens of both kinds that were revoked before their time was over.
CREATE TABLE revoked_access_tokens (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- of an opaque token, or of the id of a JWT
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX revoked_access_tokens_by_expiration ON revoked_access_tokens (expiration_ms);

-- Assertions with which clients have authenticated: none is accepted twice.
CREATE TABLE used_assertions (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX used_assertions_by_expiration ON used_assertions (expiration_ms);

-- How often a client was authenticated wrongly from an address within a minute.
CREATE TABLE client_tries (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- keyed, of client and address
  count BIGINT NOT NULL,
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX client_tries_by_expiration ON client_tries (expiration_ms);
