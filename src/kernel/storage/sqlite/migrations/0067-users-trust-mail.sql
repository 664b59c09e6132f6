-- Whether addresses that the service user sets by SCIM are vouched for.
ALTER TABLE stored_users ADD COLUMN trust_mail INTEGER NOT NULL DEFAULT 0;

-- Groups are listed by the service user that is their source.
CREATE INDEX stored_groups_by_source_user ON stored_groups (source_user_id, creation_date, id) WHERE source_user_id IS NOT NULL;
