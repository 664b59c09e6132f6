-- The hook that alone changes the members of a group, in place of a provider or a service user.
ALTER TABLE stored_groups ADD COLUMN source_hook_id TEXT;
CREATE INDEX stored_groups_by_hook ON stored_groups (source_hook_id) WHERE source_hook_id IS NOT NULL;
