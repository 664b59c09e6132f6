-- The rows of a large organization that was removed are deleted little by little. Until they are gone, its own row says so, and
-- what is asked by the names that the tables had finds nothing of it: each is a view that leaves such rows out. Statements that
-- write name the tables. Rows that can be found by way of one of these views only have none of their own.
ALTER TABLE organizations RENAME TO stored_organizations;
ALTER TABLE users RENAME TO stored_users;
ALTER TABLE projects RENAME TO stored_projects;
ALTER TABLE project_grants RENAME TO stored_project_grants;
ALTER TABLE user_grants RENAME TO stored_user_grants;
ALTER TABLE memberships RENAME TO stored_memberships;
ALTER TABLE applications RENAME TO stored_applications;
CREATE INDEX organizations_removed ON stored_organizations (id) WHERE state = 'REMOVED';

CREATE VIEW removed_organizations AS SELECT id FROM stored_organizations WHERE state = 'REMOVED';

CREATE VIEW organizations AS SELECT * FROM stored_organizations WHERE state <> 'REMOVED';

-- That there is none is asked once in a statement and hardly ever otherwise: only then is each row looked at.
CREATE VIEW users AS SELECT * FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

CREATE VIEW projects AS SELECT * FROM stored_projects
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

CREATE VIEW applications AS SELECT * FROM stored_applications
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

CREATE VIEW project_grants AS SELECT * FROM stored_project_grants
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND granted_organization_id NOT IN (SELECT id FROM removed_organizations));

CREATE VIEW user_grants AS SELECT * FROM stored_user_grants
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT resource_owner FROM stored_users WHERE id = user_id) NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT resource_owner FROM stored_projects WHERE id = project_id) NOT IN (SELECT id FROM removed_organizations));

-- The owner of a membership on a project grant is the organization that the project was granted to.
CREATE VIEW memberships AS SELECT * FROM stored_memberships
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT resource_owner FROM stored_users WHERE id = user_id) NOT IN (SELECT id FROM removed_organizations)
      AND (scope_kind <> 'project-grant'
        OR (SELECT resource_owner FROM stored_project_grants WHERE id = scope_id)
          NOT IN (SELECT id FROM removed_organizations)));
