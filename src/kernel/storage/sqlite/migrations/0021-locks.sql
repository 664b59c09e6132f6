-- A lock by wrong passwords ends nothing, so that somebody can still lock the user for good. It counts while the user is LOCKED.
ALTER TABLE stored_users ADD COLUMN is_locked_by_tries INTEGER NOT NULL DEFAULT 0;
