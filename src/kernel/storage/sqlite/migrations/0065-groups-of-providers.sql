-- Groups are looked for by the identity provider that says who is in them.
CREATE INDEX stored_groups_by_provider ON stored_groups (source_idp_id) WHERE source_idp_id IS NOT NULL;
