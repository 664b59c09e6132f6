-- Claims of its own, in JSON; '' without any.
ALTER TABLE stored_projects ADD COLUMN claim_mappings TEXT NOT NULL DEFAULT '';

-- Claims of its own, in JSON; '' without any.
ALTER TABLE stored_applications ADD COLUMN claim_mappings TEXT NOT NULL DEFAULT '';

-- Which metadata of its users an organization shares, in JSON; '' for none.
ALTER TABLE stored_organizations ADD COLUMN shared_user_metadata TEXT NOT NULL DEFAULT '';
