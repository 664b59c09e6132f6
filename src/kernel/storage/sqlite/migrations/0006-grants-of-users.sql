-- The grants of a user lie together, in the order of lists: what a user holds is one or two pages of the file, and not a page
-- for each grant. The id takes an index in its place.
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
  PRIMARY KEY (user_id, creation_date, id),
  UNIQUE (resource_owner, user_id, project_id, project_grant_id)
) STRICT, WITHOUT ROWID;
INSERT INTO user_grants
    (user_id, creation_date, id, sequence, resource_owner, state, project_id, project_grant_id, role_keys)
  SELECT user_id, creation_date, id, sequence, resource_owner, state, project_id, project_grant_id, role_keys
  FROM former_user_grants INDEXED BY user_grants_by_user -- a sort would hold all of them in memory
  ORDER BY user_id, creation_date, id;
DROP TABLE former_user_grants; -- and its indexes
CREATE INDEX user_grants_by_organization ON user_grants (resource_owner, creation_date, id);
CREATE INDEX user_grants_by_project ON user_grants (project_id, resource_owner, creation_date, id);
-- Grants of users that rest on a project grant.
CREATE INDEX user_grants_by_project_grant ON user_grants (project_grant_id) WHERE project_grant_id <> '';
