-- Browsers that were sent to an identity provider and have not come back. Not made from the log; a row is deleted when the browser
-- comes back, with its interaction, with the provider or its organization. Times are milliseconds since 1970.
CREATE TABLE provider_visits (
  interaction_id TEXT NOT NULL PRIMARY KEY REFERENCES interactions (id) ON DELETE CASCADE,
  hash TEXT NOT NULL UNIQUE, -- SHA-256 (base64url) of the state that the browser brings back
  provider_id TEXT NOT NULL,
  organization_id TEXT NOT NULL,
  key_id TEXT NOT NULL, -- the master key that the content is encrypted with
  content BLOB NOT NULL, -- what the answer of the provider is checked with
  expiration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX provider_visits_by_provider ON provider_visits (provider_id);
CREATE INDEX provider_visits_by_organization ON provider_visits (organization_id);
