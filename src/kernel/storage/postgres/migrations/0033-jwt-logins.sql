-- Browsers that were sent to the gateway of a JWT provider, one of each interaction, and for a moment who they have come back as. Not
-- made from the log; a row is deleted when the browser brings its handle, with the interaction, the provider, its organization or the
-- user, or in the background when its time is over. Times are milliseconds since 1970.
CREATE TABLE jwt_logins (
  interaction_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES interactions (id) ON DELETE CASCADE DEFERRABLE,
  provider_id TEXT COLLATE "C" NOT NULL,
  organization_id TEXT COLLATE "C" NOT NULL,
  user_agent_hash TEXT COLLATE "C" NOT NULL, -- SHA-256 (base64url) of the parameter userAgentID
  handle_hash TEXT COLLATE "C", -- SHA-256 (base64url) of the handle; null = the browser has not come back
  key_id TEXT COLLATE "C", -- the master key that the identity is encrypted with
  identity BYTEA,
  user_id TEXT COLLATE "C", -- to whom the identity is linked; null = to nobody, or the browser has not come back
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX jwt_logins_by_provider ON jwt_logins (provider_id);
CREATE INDEX jwt_logins_by_organization ON jwt_logins (organization_id);
CREATE INDEX jwt_logins_by_user ON jwt_logins (user_id);
CREATE INDEX jwt_logins_by_expiration ON jwt_logins (expiration_ms);
