-- What users may type to say who they are.
ALTER TABLE login_policies ADD COLUMN login_names TEXT COLLATE "C" NOT NULL DEFAULT '["USERNAME","EMAIL","PHONE"]';

-- The address and the phone for which the user has entered a code that was sent there. They count as long as the user has them.
ALTER TABLE stored_users ADD COLUMN proved_email TEXT COLLATE "C"; -- in small letters
ALTER TABLE stored_users ADD COLUMN proved_phone TEXT COLLATE "C";
CREATE INDEX users_by_proved_email ON stored_users (proved_email) WHERE proved_email IS NOT NULL;
CREATE INDEX users_by_proved_phone ON stored_users (proved_phone) WHERE proved_phone IS NOT NULL;
CREATE INDEX users_by_phone ON stored_users (resource_owner, phone) WHERE phone IS NOT NULL;

CREATE OR REPLACE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description,
    access_token_type, signing_algorithm, lock_count, password_date, is_password_change_required, password_creator,
    password_made_with_token_id, is_locked_by_tries, email_creator, proved_email, proved_phone
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
