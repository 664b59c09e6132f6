-- A token that was made for another user outlives the one it was made with, so it does not refer to a row any more.
ALTER TABLE personal_access_tokens RENAME TO former_personal_access_tokens;
CREATE TABLE personal_access_tokens (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  expiration_ms INTEGER, -- milliseconds since 1970; null = never
  creator TEXT NOT NULL, -- who made it: a user id or `system`
  made_with_token_id TEXT, -- the token of the call that made it, which may be gone by now
  was_limited INTEGER NOT NULL DEFAULT 0 -- 1 once it had a row in left_out_roles: only then it is worth a look there
) STRICT, WITHOUT ROWID;
INSERT INTO personal_access_tokens
    (id, sequence, creation_date, resource_owner, user_id, expiration_ms, creator, made_with_token_id)
  SELECT id, sequence, creation_date, resource_owner, user_id, expiration_ms, creator, made_with_token_id
  FROM former_personal_access_tokens;
DROP TABLE former_personal_access_tokens; -- and its indexes
CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (user_id, creation_date, id);
CREATE INDEX personal_access_tokens_by_parent ON personal_access_tokens (made_with_token_id);

-- Roles of a membership that a token of its user does not carry. A token with a row here is limited.
CREATE TABLE left_out_roles (
  token_id TEXT NOT NULL REFERENCES personal_access_tokens (id) ON DELETE CASCADE,
  membership_id TEXT NOT NULL REFERENCES memberships (id) ON DELETE CASCADE,
  roles TEXT NOT NULL, -- JSON array of role names, never empty
  PRIMARY KEY (token_id, membership_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX left_out_roles_by_membership ON left_out_roles (membership_id);
