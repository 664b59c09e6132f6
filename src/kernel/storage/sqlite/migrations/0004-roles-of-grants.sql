-- The roles of a grant lie in its row. The rows of roles are there for the lists that go by a role and nothing else, so that
-- one index less is written; each column of them is known from the grant.
ALTER TABLE user_grants ADD COLUMN role_keys TEXT NOT NULL DEFAULT '[]'; -- JSON array in the order of the event
UPDATE user_grants SET role_keys = (
  SELECT json_group_array(role_key ORDER BY position) FROM user_grant_roles WHERE user_grant_id = user_grants.id
);

DROP INDEX user_grant_roles_by_role;
DROP INDEX user_grant_roles_by_project;
ALTER TABLE user_grant_roles RENAME TO former_user_grant_roles;
CREATE TABLE user_grant_roles (
  project_id TEXT NOT NULL,
  resource_owner TEXT NOT NULL,
  role_key TEXT NOT NULL,
  creation_date INTEGER NOT NULL,
  user_grant_id TEXT NOT NULL,
  PRIMARY KEY (project_id, resource_owner, role_key, creation_date, user_grant_id)
) STRICT, WITHOUT ROWID;
INSERT INTO user_grant_roles (project_id, resource_owner, role_key, creation_date, user_grant_id)
  SELECT project_id, resource_owner, role_key, creation_date, user_grant_id FROM former_user_grant_roles
  ORDER BY project_id, resource_owner, role_key, creation_date, user_grant_id;
DROP TABLE former_user_grant_roles;
CREATE INDEX user_grant_roles_by_role ON user_grant_roles (resource_owner, role_key, creation_date, user_grant_id);
