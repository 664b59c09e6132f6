-- Authenticator apps (TOTP) are second factors too. Their secrets are among the secrets, sealed under the keys of their users.
ALTER TABLE second_factors ADD COLUMN type TEXT NOT NULL DEFAULT 'U2F'; -- U2F or TOTP
-- A user has one of them at most: one that is ready, or a registration that was started.
CREATE UNIQUE INDEX second_factors_totp ON second_factors (user_id) WHERE type = 'TOTP';

-- Time steps for which a user has used a code: none counts twice. Not made from the log.
CREATE TABLE used_totp_steps (
  user_id TEXT NOT NULL,
  step INTEGER NOT NULL, -- 30 seconds each, since 1970
  expiration_ms INTEGER NOT NULL,
  PRIMARY KEY (user_id, step)
) STRICT, WITHOUT ROWID;
CREATE INDEX used_totp_steps_by_expiration ON used_totp_steps (expiration_ms);

-- The recovery codes that a user has. What they are compared with is among the secrets, sealed under the key of the user.
CREATE TABLE recovery_codes (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  user_id TEXT NOT NULL UNIQUE,
  remaining INTEGER NOT NULL, -- how many of them were not used
  creator TEXT NOT NULL, -- who knows them: a user id or `system`
  made_with_token_id TEXT, -- the token of that call; null = none, or a login
  is_questioned INTEGER NOT NULL DEFAULT 0 -- 1 = the user has to keep or remove them
) STRICT, WITHOUT ROWID;
