-- Lists: every filter runs on an index that ends with the order of the list.
CREATE INDEX organizations_by_creation ON organizations (creation_date, id);

CREATE INDEX users_by_state ON users (resource_owner, state, creation_date, id);
-- The case of ASCII letters does not tell addresses apart.
CREATE INDEX users_by_email ON users (resource_owner, lower(email), creation_date, id);

CREATE INDEX identity_providers_by_organization ON identity_providers (resource_owner, creation_date, id);
CREATE INDEX identity_providers_by_state ON identity_providers (resource_owner, state, creation_date, id);

CREATE INDEX projects_by_state ON projects (resource_owner, state, creation_date, id);
CREATE INDEX project_roles_by_creation ON project_roles (project_id, creation_date, role_key);
CREATE INDEX project_grants_by_project ON project_grants (project_id, creation_date, id);

CREATE INDEX applications_by_state ON applications (project_id, state, creation_date, id);

CREATE INDEX memberships_by_creation ON memberships (creation_date, id);
CREATE INDEX memberships_by_organization ON memberships (resource_owner, creation_date, id);
CREATE INDEX memberships_by_scope ON memberships (scope_kind, scope_id, creation_date, id);
CREATE INDEX memberships_by_user ON memberships (user_id, creation_date, id);

CREATE INDEX user_grants_by_organization ON user_grants (resource_owner, creation_date, id);
DROP INDEX user_grants_by_project;
CREATE INDEX user_grants_by_project ON user_grants (project_id, resource_owner, creation_date, id);
-- Grants of users that rest on a project grant.
CREATE INDEX user_grants_by_project_grant ON user_grants (project_grant_id) WHERE project_grant_id <> '';

-- Which grants hold a role, in the order of lists.
ALTER TABLE user_grant_roles ADD COLUMN resource_owner TEXT NOT NULL DEFAULT '';
ALTER TABLE user_grant_roles ADD COLUMN creation_date INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_grant_roles ADD COLUMN project_id TEXT NOT NULL DEFAULT '';
UPDATE user_grant_roles SET
  resource_owner = (SELECT resource_owner FROM user_grants WHERE id = user_grant_id),
  creation_date = (SELECT creation_date FROM user_grants WHERE id = user_grant_id),
  project_id = (SELECT project_id FROM user_grants WHERE id = user_grant_id);
CREATE INDEX user_grant_roles_by_role ON user_grant_roles (resource_owner, role_key, creation_date, user_grant_id);
CREATE INDEX user_grant_roles_by_project ON user_grant_roles (project_id, resource_owner, role_key, creation_date, user_grant_id);
