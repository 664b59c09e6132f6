-- Claims of its own, in JSON; '' without any.
ALTER TABLE stored_projects ADD COLUMN claim_mappings TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE OR REPLACE VIEW projects AS
  SELECT id, sequence, creation_date, resource_owner, state, name, folded_name, project_role_assertion,
    project_role_check, has_project_check, private_labeling_setting,
    claim_mappings
  FROM stored_projects
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

-- Claims of its own, in JSON; '' without any.
ALTER TABLE stored_applications ADD COLUMN claim_mappings TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE OR REPLACE VIEW applications AS
  SELECT id, sequence, creation_date, resource_owner, state, project_id, name, folded_name, entity_id, metadata_xml,
    metadata_url, metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until,
    kind, settings, secret_id, back_channel_logout_uri, resource, external,
    claim_mappings
  FROM stored_applications
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

-- Which metadata of its users an organization shares, in JSON; '' for none.
ALTER TABLE stored_organizations ADD COLUMN shared_user_metadata TEXT COLLATE "C" NOT NULL DEFAULT '';

CREATE OR REPLACE VIEW organizations AS
  SELECT id, sequence, creation_date, state, name, folded_name,
    shared_user_metadata
  FROM stored_organizations
  WHERE state <> 'REMOVED';
