-- What users may type to say who they are.
ALTER TABLE login_policies ADD COLUMN login_names TEXT NOT NULL DEFAULT '["USERNAME","EMAIL","PHONE"]';

-- The address and the phone for which the user has entered a code that was sent there. They count as long as the user has them.
ALTER TABLE stored_users ADD COLUMN proved_email TEXT; -- in small letters
ALTER TABLE stored_users ADD COLUMN proved_phone TEXT;
CREATE INDEX users_by_proved_email ON stored_users (proved_email) WHERE proved_email IS NOT NULL;
CREATE INDEX users_by_proved_phone ON stored_users (proved_phone) WHERE proved_phone IS NOT NULL;
CREATE INDEX users_by_phone ON stored_users (resource_owner, phone) WHERE phone IS NOT NULL;
