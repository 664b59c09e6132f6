-- Few users have an imported id, so the index holds only theirs, and adding a user need not write to it. The index of invitations stays
-- whole: PostgreSQL would read all of a small partial one where another filter finds fewer rows.
DROP INDEX users_by_imported_id;
CREATE UNIQUE INDEX users_by_imported_id ON stored_users (imported_id) WHERE imported_id IS NOT NULL;
