-- The invitation that a user has not taken yet, expired or not: all four are null without one.
ALTER TABLE stored_users ADD COLUMN invitation_state TEXT; -- OPEN
ALTER TABLE stored_users ADD COLUMN invitation_date INTEGER; -- of the last mail, in microseconds since 1970
ALTER TABLE stored_users ADD COLUMN invitation_expiration_date INTEGER; -- in microseconds since 1970
ALTER TABLE stored_users ADD COLUMN invitation_application_id TEXT; -- null: none was named
CREATE INDEX users_by_invitation_state ON stored_users (resource_owner, invitation_state, creation_date, id);
