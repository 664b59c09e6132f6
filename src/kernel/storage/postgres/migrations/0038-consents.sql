-- Whether its giver held user.grant.write in the organization of the user.
ALTER TABLE stored_user_grants ADD COLUMN held_at_home BIGINT NOT NULL DEFAULT 0;

CREATE OR REPLACE VIEW user_grants AS
  SELECT user_id, creation_date, id, sequence, resource_owner, state, project_id, project_grant_id, role_keys,
    held_at_home
  FROM stored_user_grants
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT u.resource_owner FROM stored_users AS u WHERE u.id = user_id)
        NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT p.resource_owner FROM stored_projects AS p WHERE p.id = project_id)
        NOT IN (SELECT id FROM removed_organizations));

-- What pages have shown, as JSON; null: nobody recorded it, and it counts for nothing.
ALTER TABLE confirmations ADD COLUMN shown TEXT COLLATE "C";
-- Why nothing had to be asked, as JSON: what was confirmed, or {} for a grant that connects the user. Null: the application is of the
-- organization of the user, or an older release made the row, which may not have asked.
ALTER TABLE authorizations ADD COLUMN consent TEXT COLLATE "C";
