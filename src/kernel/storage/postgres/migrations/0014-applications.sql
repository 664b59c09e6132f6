-- Applications that users log in to by OpenID Connect, and APIs that ask what a token is worth. Those from before speak SAML.
ALTER TABLE stored_applications ADD COLUMN kind TEXT COLLATE "C" NOT NULL DEFAULT 'saml'; -- saml, oidc or api
ALTER TABLE stored_applications ADD COLUMN settings TEXT COLLATE "C"; -- of oidc and api: JSON as in the event
-- The client secret in force, whose hash is the secret `application-secret:<secret id>`; null when there is none.
ALTER TABLE stored_applications ADD COLUMN secret_id TEXT COLLATE "C";

CREATE OR REPLACE VIEW applications AS
  SELECT id, sequence, creation_date, resource_owner, state, project_id, name, folded_name, entity_id, metadata_xml,
    metadata_url, metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until,
    kind, settings, secret_id
  FROM stored_applications
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

-- The public keys with which applications authenticate.
CREATE TABLE application_keys (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  application_id TEXT COLLATE "C" NOT NULL REFERENCES stored_applications (id) DEFERRABLE,
  expiration_ms BIGINT, -- milliseconds since 1970; null = never
  public_key TEXT COLLATE "C" NOT NULL -- a JSON Web Key
);
CREATE INDEX application_keys_by_application ON application_keys (application_id, creation_date, id);
