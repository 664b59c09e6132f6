-- From when until when a right is in effect: instants as texts that sort by time. Without a date there is no such limit. Rights that
-- end are listed by their end.
ALTER TABLE stored_user_grants ADD COLUMN start_date TEXT;
ALTER TABLE stored_user_grants ADD COLUMN end_date TEXT;
ALTER TABLE stored_project_grants ADD COLUMN start_date TEXT;
ALTER TABLE stored_project_grants ADD COLUMN end_date TEXT;
ALTER TABLE stored_memberships ADD COLUMN start_date TEXT;
ALTER TABLE stored_memberships ADD COLUMN end_date TEXT;
ALTER TABLE stored_group_grants ADD COLUMN start_date TEXT;
ALTER TABLE stored_group_grants ADD COLUMN end_date TEXT;
ALTER TABLE group_members ADD COLUMN start_date TEXT;
ALTER TABLE group_members ADD COLUMN end_date TEXT;
-- The first of them comes first: of two indexes that seem to lead to as few rows, SQLite takes the older one.
CREATE INDEX user_grants_by_project_and_end ON stored_user_grants (project_id, resource_owner, end_date, id) WHERE end_date IS NOT NULL;
CREATE INDEX user_grants_by_end ON stored_user_grants (resource_owner, end_date, id) WHERE end_date IS NOT NULL;
CREATE INDEX project_grants_by_end ON stored_project_grants (project_id, end_date, id) WHERE end_date IS NOT NULL;
CREATE INDEX project_grants_by_granted_organization_and_end ON stored_project_grants (granted_organization_id, end_date, id)
  WHERE end_date IS NOT NULL;
CREATE INDEX group_grants_by_project_and_end ON stored_group_grants (project_id, resource_owner, end_date, id) WHERE end_date IS NOT NULL;
CREATE INDEX group_grants_by_end ON stored_group_grants (resource_owner, end_date, id) WHERE end_date IS NOT NULL;
CREATE INDEX group_members_by_end ON group_members (group_id, end_date, user_id) WHERE end_date IS NOT NULL;
CREATE INDEX memberships_by_end ON stored_memberships (end_date, id) WHERE end_date IS NOT NULL;
CREATE INDEX memberships_by_organization_and_end ON stored_memberships (resource_owner, end_date, id) WHERE end_date IS NOT NULL;
CREATE INDEX memberships_by_scope_and_end ON stored_memberships (scope_kind, scope_id, end_date, id) WHERE end_date IS NOT NULL;

DROP VIEW group_grants;
CREATE VIEW group_grants AS
  SELECT * FROM stored_group_grants
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT h.resource_owner FROM stored_groups AS h WHERE h.id = group_id)
        NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT p.resource_owner FROM stored_projects AS p WHERE p.id = project_id)
        NOT IN (SELECT id FROM removed_organizations));

DROP VIEW held_memberships;
DROP VIEW holders_of_scopes;
DROP VIEW memberships;
CREATE VIEW memberships AS
  SELECT * FROM stored_memberships
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND COALESCE((SELECT u.resource_owner FROM stored_users AS u WHERE u.id = user_id),
          (SELECT h.resource_owner FROM stored_groups AS h WHERE h.id = group_id))
        NOT IN (SELECT id FROM removed_organizations)
      AND (scope_kind <> 'project-grant'
        OR (SELECT g.resource_owner FROM stored_project_grants AS g WHERE g.id = scope_id)
          NOT IN (SELECT id FROM removed_organizations)));

-- What a user has by a group is in effect while both are: what the group has, and that the user is in it. Without the CAST, SQLite would
-- not look for the users by an index, because an expression has no type.
CREATE VIEW held_memberships (
  id, creation_date, resource_owner, user_id, scope_kind, scope_id, roles, group_id, start_date, end_date
) AS
  SELECT id, creation_date, resource_owner, user_id, scope_kind, scope_id, roles, group_id, start_date, end_date
  FROM memberships
  WHERE user_id IS NOT NULL
  UNION ALL
  SELECT m.id, m.creation_date, m.resource_owner, g.user_id, m.scope_kind, m.scope_id, m.roles, m.group_id,
    CAST(CASE WHEN g.start_date > m.start_date OR m.start_date IS NULL THEN g.start_date ELSE m.start_date END AS TEXT),
    CAST(CASE WHEN g.end_date < m.end_date OR m.end_date IS NULL THEN g.end_date ELSE m.end_date END AS TEXT)
  FROM group_members AS g CROSS JOIN nested_groups AS n CROSS JOIN memberships AS m
  WHERE n.inner_id = g.group_id AND m.group_id = n.outer_id;

CREATE VIEW holders_of_scopes (
  id, creation_date, resource_owner, user_id, scope_kind, scope_id, roles, group_id, start_date, end_date
) AS
  SELECT id, creation_date, resource_owner, user_id, scope_kind, scope_id, roles, group_id, start_date, end_date
  FROM memberships
  WHERE user_id IS NOT NULL
  UNION ALL
  SELECT m.id, m.creation_date, m.resource_owner, g.user_id, m.scope_kind, m.scope_id, m.roles, m.group_id,
    CAST(CASE WHEN g.start_date > m.start_date OR m.start_date IS NULL THEN g.start_date ELSE m.start_date END AS TEXT),
    CAST(CASE WHEN g.end_date < m.end_date OR m.end_date IS NULL THEN g.end_date ELSE m.end_date END AS TEXT)
  FROM memberships AS m CROSS JOIN nested_groups AS n CROSS JOIN group_members AS g
  WHERE n.outer_id = m.group_id AND g.group_id = n.inner_id;
