-- Passwords of human users. The hash is in `secrets`; what is known of it besides is made from the log.
ALTER TABLE stored_users ADD COLUMN password_date BIGINT; -- when it was set; null = the user has none
ALTER TABLE stored_users ADD COLUMN is_password_change_required BIGINT NOT NULL DEFAULT 0;
ALTER TABLE stored_users ADD COLUMN password_creator TEXT COLLATE "C"; -- who set it, or was given the code that set it
ALTER TABLE stored_users ADD COLUMN password_made_with_token_id TEXT COLLATE "C"; -- the token of that call; null = none, or a login

CREATE OR REPLACE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description,
    access_token_type, signing_algorithm, lock_count, password_date, is_password_change_required, password_creator,
    password_made_with_token_id
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

-- Tries of passwords, factors and codes that have not proved right. Not made from the log. Rows whose time is over are deleted in
-- the background. Times are milliseconds since 1970.
CREATE TABLE tries (
  kind TEXT COLLATE "C" NOT NULL,
  hash TEXT COLLATE "C" NOT NULL, -- keyed, of a username, user or address
  user_id TEXT COLLATE "C", -- of the user that they are about; null = there is none
  count BIGINT NOT NULL,
  instants TEXT COLLATE "C" NOT NULL, -- JSON array of times
  expiration_ms BIGINT NOT NULL,
  PRIMARY KEY (kind, hash)
);
CREATE INDEX tries_by_user ON tries (user_id, kind);
CREATE INDEX tries_by_expiration ON tries (expiration_ms);
