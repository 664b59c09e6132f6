-- Whether addresses that the service user sets by SCIM are vouched for.
ALTER TABLE stored_users ADD COLUMN trust_mail INTEGER NOT NULL DEFAULT 0;
