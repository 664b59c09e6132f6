-- URLs that are asked during logins, of an organization or of the instance.
CREATE TABLE hooks (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  folded_name TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  timeout_ms BIGINT NOT NULL,
  fail_closed BIGINT NOT NULL, -- 1: a login is refused while the hook fails
  metadata_keys TEXT COLLATE "C" NOT NULL, -- JSON: the keys of metadata that the hook may set
  secrets TEXT COLLATE "C" NOT NULL -- JSON: ids with their dates, oldest first
);
CREATE INDEX hooks_by_owner ON hooks (resource_owner, creation_date, id);
CREATE UNIQUE INDEX hooks_by_name ON hooks (resource_owner, folded_name);

-- What hooks have answered about the tokens of a code, encrypted under the code.
ALTER TABLE authorization_codes ADD COLUMN hook_answers TEXT COLLATE "C";

-- Below which name tokens tell what hooks add; '' for none.
ALTER TABLE stored_applications ADD COLUMN hook_claim TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE OR REPLACE VIEW applications AS
  SELECT id, sequence, creation_date, resource_owner, state, project_id, name, folded_name, entity_id, metadata_xml,
    metadata_url, metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until,
    kind, settings, secret_id, back_channel_logout_uri, resource, external,
    claim_mappings,
    hook_claim
  FROM stored_applications
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
