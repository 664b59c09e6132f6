-- Few users have an imported id or an invitation, so these indexes hold only theirs, and adding a user need not write to them.
DROP INDEX users_by_imported_id;
CREATE UNIQUE INDEX users_by_imported_id ON stored_users (imported_id) WHERE imported_id IS NOT NULL;
DROP INDEX users_by_invitation_state;
CREATE INDEX users_by_invitation_state ON stored_users (resource_owner, invitation_state, creation_date, id)
  WHERE invitation_state IS NOT NULL;
