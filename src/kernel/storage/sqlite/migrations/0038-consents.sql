-- Whether its giver held user.grant.write in the organization of the user.
ALTER TABLE stored_user_grants ADD COLUMN held_at_home INTEGER NOT NULL DEFAULT 0;

-- What pages have shown, as JSON; null: nobody recorded it, and it counts for nothing.
ALTER TABLE confirmations ADD COLUMN shown TEXT;
-- Why nothing had to be asked, as JSON: what was confirmed, or {} for a grant that connects the user. Null: the application is of the
-- organization of the user, or an older release made the row, which may not have asked.
ALTER TABLE authorizations ADD COLUMN consent TEXT;
