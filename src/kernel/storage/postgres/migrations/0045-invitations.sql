-- The invitation that a user has not taken yet, expired or not: all four are null without one.
ALTER TABLE stored_users ADD COLUMN invitation_state TEXT COLLATE "C"; -- OPEN
ALTER TABLE stored_users ADD COLUMN invitation_date BIGINT; -- of the last mail, in microseconds since 1970
ALTER TABLE stored_users ADD COLUMN invitation_expiration_date BIGINT; -- in microseconds since 1970
ALTER TABLE stored_users ADD COLUMN invitation_application_id TEXT COLLATE "C"; -- null: none was named
CREATE INDEX users_by_invitation_state ON stored_users (resource_owner, invitation_state, creation_date, id);

CREATE OR REPLACE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description,
    access_token_type, signing_algorithm, lock_count, password_date, is_password_change_required, password_creator,
    password_made_with_token_id, is_locked_by_tries, email_creator, proved_email, proved_phone,
    invitation_state, invitation_date, invitation_expiration_date, invitation_application_id
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
