-- The URI of an API that tokens are given for, without a final slash; '': none.
ALTER TABLE stored_applications ADD COLUMN resource TEXT NOT NULL DEFAULT '';
CREATE INDEX applications_by_resource ON stored_applications (resource) WHERE resource <> '';
-- The applications of the APIs that were asked for, as JSON; null: none was named.
ALTER TABLE authorizations ADD COLUMN resources TEXT;
ALTER TABLE device_authorizations ADD COLUMN resources TEXT;
