-- Passkeys, with the columns of second_factors and what they say about copies.
CREATE TABLE passkeys (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES stored_users (id) DEFERRABLE,
  state TEXT COLLATE "C" NOT NULL,
  domain TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C",
  credential_id TEXT COLLATE "C" UNIQUE,
  public_key TEXT COLLATE "C",
  counter BIGINT,
  aaguid TEXT COLLATE "C",
  attestation_format TEXT COLLATE "C",
  creator TEXT COLLATE "C", -- who completed the registration; null = nobody yet
  made_with_token_id TEXT COLLATE "C", -- the token of that call; null = none
  is_questioned BIGINT NOT NULL DEFAULT 0, -- 1 = the user has to keep or remove it, and nobody logs in with it
  is_backup_eligible BIGINT NOT NULL DEFAULT 0, -- 1 = may be copied to other devices of the user
  is_backed_up BIGINT NOT NULL DEFAULT 0 -- 1 = there is such a copy
);
CREATE INDEX passkeys_by_user ON passkeys (user_id, creation_date, id);
