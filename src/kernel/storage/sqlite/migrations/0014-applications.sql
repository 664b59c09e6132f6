-- Applications that users log in to by OpenID Connect, and APIs that ask what a token is worth. Those from before speak SAML.
ALTER TABLE stored_applications ADD COLUMN kind TEXT NOT NULL DEFAULT 'saml'; -- saml, oidc or api
ALTER TABLE stored_applications ADD COLUMN settings TEXT; -- of oidc and api: JSON as in the event
-- The client secret in force, whose hash is the secret `application-secret:<secret id>`; null when there is none.
ALTER TABLE stored_applications ADD COLUMN secret_id TEXT;

-- The public keys with which applications authenticate.
CREATE TABLE application_keys (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  application_id TEXT NOT NULL REFERENCES stored_applications (id),
  expiration_ms INTEGER, -- milliseconds since 1970; null = never
  public_key TEXT NOT NULL -- a JSON Web Key
) STRICT, WITHOUT ROWID;
CREATE INDEX application_keys_by_application ON application_keys (application_id, creation_date, id);
