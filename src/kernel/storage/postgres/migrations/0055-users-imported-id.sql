-- The id that a person had in another system; NULL without one.
ALTER TABLE stored_users ADD COLUMN imported_id TEXT COLLATE "C";

CREATE OR REPLACE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description,
    access_token_type, signing_algorithm, lock_count, password_date, is_password_change_required, password_creator,
    password_made_with_token_id, is_locked_by_tries, email_creator, proved_email, proved_phone,
    invitation_state, invitation_date, invitation_expiration_date, invitation_application_id,
    password_code_email,
    imported_id
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
CREATE UNIQUE INDEX users_by_imported_id ON stored_users (imported_id);

-- Imported ids that were ever given, by their SHA-256 in hexadecimal: also of users that were removed, so that nobody else gets them.
CREATE TABLE imported_ids (
  digest TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  creation_date BIGINT NOT NULL
);

-- A notice outlives a removed user, whom the application may know by the imported id.
ALTER TABLE logout_notices ADD COLUMN imported_id TEXT COLLATE "C";
