-- Codes and refresh tokens of authorizations. Nothing here is made from the log; rows whose time is over are deleted in the
-- background. Times are milliseconds since 1970. Of codes and tokens only a SHA-256 hash (base64url) is stored. All of them go
-- with their authorization.

CREATE TABLE authorization_codes (
  hash TEXT NOT NULL PRIMARY KEY,
  authorization_id TEXT NOT NULL REFERENCES authorizations (id) ON DELETE CASCADE,
  redirect_uri TEXT NOT NULL, -- which the client must send again
  code_challenge TEXT, -- S256; null: it was asked for without
  used_ms INTEGER,
  expiration_ms INTEGER NOT NULL -- of a used one: until when a second use is recognised
) STRICT, WITHOUT ROWID;
CREATE INDEX authorization_codes_by_authorization ON authorization_codes (authorization_id);
CREATE INDEX authorization_codes_by_expiration ON authorization_codes (expiration_ms);

-- All refresh tokens of an authorization: only the last one can be used, the others are kept so that their use is recognised.
CREATE TABLE refresh_tokens (
  hash TEXT NOT NULL PRIMARY KEY,
  authorization_id TEXT NOT NULL REFERENCES authorizations (id) ON DELETE CASCADE,
  used_ms INTEGER,
  successor_key_id TEXT, -- the master key that made the successor
  idle_expiration_ms INTEGER NOT NULL,
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX refresh_tokens_by_authorization ON refresh_tokens (authorization_id);
CREATE INDEX refresh_tokens_by_expiration ON refresh_tokens (expiration_ms);

-- The public halves of signing keys that are gone: an ID token that such a key has signed still names who wants to log out. Made
-- from the log.
CREATE TABLE former_signing_keys (
  id TEXT NOT NULL PRIMARY KEY,
  resource_owner TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  public_key TEXT NOT NULL -- a JSON Web Key
) STRICT, WITHOUT ROWID;
INSERT INTO former_signing_keys (id, resource_owner, algorithm, public_key)
  SELECT a.aggregate_id, a.resource_owner, json_extract(a.payload, '$.algorithm'), json_extract(a.payload, '$.public_key')
  FROM events r JOIN events a ON a.aggregate_type = 'signing_key' AND a.aggregate_id = r.aggregate_id
    AND a.type = 'signing_key.added'
  WHERE r.type = 'signing_key.removed';
