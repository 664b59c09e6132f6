-- Who answers for the e-mail of a user: who set it. Codes that go to it give access to the account.
ALTER TABLE stored_users ADD COLUMN email_creator TEXT COLLATE "C"; -- null = nobody, or it was set by an update of an earlier version
UPDATE stored_users SET email_creator = (
  SELECT e.editor FROM events e WHERE e.aggregate_type = 'user' AND e.aggregate_id = stored_users.id
    AND e.type IN ('user.added', 'user.email.set')
  ORDER BY e.sequence DESC LIMIT 1
) WHERE kind = 'human';

CREATE OR REPLACE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description,
    access_token_type, signing_algorithm, lock_count, password_date, is_password_change_required, password_creator,
    password_made_with_token_id, is_locked_by_tries, email_creator
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);
