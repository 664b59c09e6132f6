-- Whether addresses that the service user sets by SCIM are vouched for.
ALTER TABLE stored_users ADD COLUMN trust_mail BIGINT NOT NULL DEFAULT 0;

CREATE OR REPLACE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description,
    access_token_type, signing_algorithm, lock_count, password_date, is_password_change_required, password_creator,
    password_made_with_token_id, is_locked_by_tries, email_creator, proved_email, proved_phone,
    invitation_state, invitation_date, invitation_expiration_date, invitation_application_id,
    password_code_email,
    imported_id,
    trust_mail
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

-- Groups are listed by the service user that is their source.
CREATE INDEX stored_groups_by_source_user ON stored_groups (source_user_id, creation_date, id) WHERE source_user_id IS NOT NULL;
