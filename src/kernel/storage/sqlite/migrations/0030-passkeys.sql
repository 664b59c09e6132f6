-- Passkeys, with the columns of second_factors and what they say about copies.
CREATE TABLE passkeys (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES stored_users (id),
  state TEXT NOT NULL,
  domain TEXT NOT NULL,
  name TEXT,
  credential_id TEXT UNIQUE,
  public_key TEXT,
  counter INTEGER,
  aaguid TEXT,
  attestation_format TEXT,
  creator TEXT, -- who completed the registration; null = nobody yet
  made_with_token_id TEXT, -- the token of that call; null = none
  is_questioned INTEGER NOT NULL DEFAULT 0, -- 1 = the user has to keep or remove it, and nobody logs in with it
  is_backup_eligible INTEGER NOT NULL DEFAULT 0, -- 1 = may be copied to other devices of the user
  is_backed_up INTEGER NOT NULL DEFAULT 0 -- 1 = there is such a copy
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_user ON passkeys (user_id, creation_date, id);
