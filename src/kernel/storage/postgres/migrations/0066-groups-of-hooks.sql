-- The hook that alone changes the members of a group, in place of a provider or a service user.
ALTER TABLE stored_groups ADD COLUMN source_hook_id TEXT COLLATE "C";
CREATE INDEX stored_groups_by_hook ON stored_groups (source_hook_id) WHERE source_hook_id IS NOT NULL;

CREATE OR REPLACE VIEW groups AS
  SELECT id, sequence, creation_date, resource_owner, name, folded_name, description, external_id, source_idp_id, source_user_id,
    source_hook_id
  FROM stored_groups
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
