-- What makes a grant unique begins with the project: many users of one project are given roles at once more often than the
-- other way round, and what lies together is written together. The table has been ordered by its users already.
ALTER TABLE user_grants RENAME TO former_user_grants;
CREATE TABLE user_grants (
  user_id TEXT NOT NULL REFERENCES users (id),
  creation_date INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  sequence INTEGER NOT NULL,
  resource_owner TEXT NOT NULL REFERENCES organizations (id),
  state TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  project_grant_id TEXT NOT NULL, -- empty when the organization owns the project
  role_keys TEXT NOT NULL, -- JSON array in the order of the event
  PRIMARY KEY (user_id, creation_date, id)
) STRICT, WITHOUT ROWID;
INSERT INTO user_grants
    (user_id, creation_date, id, sequence, resource_owner, state, project_id, project_grant_id, role_keys)
  SELECT user_id, creation_date, id, sequence, resource_owner, state, project_id, project_grant_id, role_keys
  FROM former_user_grants
  ORDER BY user_id, creation_date, id;
DROP TABLE former_user_grants; -- and its indexes
CREATE UNIQUE INDEX user_grants_unique ON user_grants (project_id, resource_owner, project_grant_id, user_id);
CREATE INDEX user_grants_by_organization ON user_grants (resource_owner, creation_date, id);
CREATE INDEX user_grants_by_project ON user_grants (project_id, resource_owner, creation_date, id);
-- Grants of users that rest on a project grant.
CREATE INDEX user_grants_by_project_grant ON user_grants (project_grant_id) WHERE project_grant_id <> '';
