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
