-- Groups of the users of an organization.
CREATE TABLE stored_groups (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL REFERENCES stored_organizations (id),
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  description TEXT NOT NULL,
  external_id TEXT NOT NULL,
  source_idp_id TEXT, -- the only one that changes the members, if any: a provider or a service user
  source_user_id TEXT
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX groups_by_name ON stored_groups (resource_owner, folded_name);
CREATE INDEX groups_by_organization ON stored_groups (resource_owner, creation_date, id);

CREATE TABLE group_members (
  user_id TEXT NOT NULL REFERENCES stored_users (id) ON DELETE CASCADE,
  creation_date INTEGER NOT NULL, -- when the user became a member
  group_id TEXT NOT NULL REFERENCES stored_groups (id) ON DELETE CASCADE,
  PRIMARY KEY (user_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_members_by_group ON group_members (group_id, creation_date, user_id);
CREATE INDEX group_members_by_user ON group_members (user_id, creation_date, group_id);

-- Groups that are members of a group.
CREATE TABLE subgroups (
  subgroup_id TEXT NOT NULL REFERENCES stored_groups (id) ON DELETE CASCADE,
  creation_date INTEGER NOT NULL, -- when it became a member
  group_id TEXT NOT NULL REFERENCES stored_groups (id) ON DELETE CASCADE,
  PRIMARY KEY (subgroup_id, group_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX subgroups_by_group ON subgroups (group_id, creation_date, subgroup_id);

-- Which groups a group is in, over any number of steps, and itself: whatever an outer group has, the members of the inner one have.
CREATE TABLE nested_groups (
  inner_id TEXT NOT NULL REFERENCES stored_groups (id) ON DELETE CASCADE,
  outer_id TEXT NOT NULL REFERENCES stored_groups (id) ON DELETE CASCADE,
  paths INTEGER NOT NULL, -- the number of ways that lead from one to the other; a row without a way is deleted
  has_grants INTEGER NOT NULL, -- whether the outer one was ever given roles of a project: only then are its grants looked for
  PRIMARY KEY (inner_id, outer_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX nested_groups_by_outer ON nested_groups (outer_id, inner_id);
CREATE INDEX nested_groups_with_grants ON nested_groups (inner_id, outer_id) WHERE has_grants = 1;

-- The words by which groups are found; see user_words.
CREATE TABLE group_words (
  owner_id TEXT NOT NULL, -- the organization
  word TEXT NOT NULL,
  id TEXT NOT NULL REFERENCES stored_groups (id) ON DELETE CASCADE,
  PRIMARY KEY (owner_id, word, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX group_words_by_word ON group_words (word, id);
CREATE INDEX group_words_by_id ON group_words (id, word);

-- Grants to groups. Apart from that they are as grants to users.
CREATE TABLE stored_group_grants (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL REFERENCES stored_organizations (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  group_id TEXT NOT NULL REFERENCES stored_groups (id) ON DELETE CASCADE,
  project_id TEXT NOT NULL REFERENCES stored_projects (id) ON DELETE CASCADE,
  project_grant_id TEXT NOT NULL, -- empty when the organization owns the project
  role_keys TEXT NOT NULL, -- JSON array in the order of the event
  held_at_home INTEGER NOT NULL -- whether its giver held user.grant.write in the organization of the group
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX group_grants_unique ON stored_group_grants (group_id, project_id, resource_owner, project_grant_id);
CREATE INDEX group_grants_by_group ON stored_group_grants (group_id, resource_owner, creation_date, id);
CREATE INDEX group_grants_by_organization ON stored_group_grants (resource_owner, creation_date, id);
CREATE INDEX group_grants_by_project ON stored_group_grants (project_id, resource_owner, creation_date, id);
CREATE INDEX group_grants_by_project_grant ON stored_group_grants (project_grant_id) WHERE project_grant_id <> '';

CREATE VIEW groups AS
  SELECT * FROM stored_groups
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

CREATE VIEW group_grants AS
  SELECT id, sequence, creation_date, resource_owner, state, group_id, project_id, project_grant_id, role_keys, held_at_home
  FROM stored_group_grants
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT h.resource_owner FROM stored_groups AS h WHERE h.id = group_id)
        NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT p.resource_owner FROM stored_projects AS p WHERE p.id = project_id)
        NOT IN (SELECT id FROM removed_organizations));

-- A membership is of a user or of a group.
DROP VIEW memberships;
ALTER TABLE stored_memberships ALTER COLUMN user_id DROP NOT NULL;
ALTER TABLE stored_memberships ADD COLUMN group_id TEXT REFERENCES stored_groups (id) ON DELETE CASCADE;
CREATE UNIQUE INDEX memberships_of_groups ON stored_memberships (group_id, scope_kind, scope_id);
CREATE INDEX memberships_by_group ON stored_memberships (group_id, creation_date, id);

-- The owner of a membership on a project grant is the organization that the project was granted to.
CREATE VIEW memberships AS
  SELECT id, sequence, creation_date, resource_owner, user_id, scope_kind, scope_id, roles, group_id
  FROM stored_memberships
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND COALESCE((SELECT u.resource_owner FROM stored_users AS u WHERE u.id = user_id),
          (SELECT h.resource_owner FROM stored_groups AS h WHERE h.id = group_id))
        NOT IN (SELECT id FROM removed_organizations)
      AND (scope_kind <> 'project-grant'
        OR (SELECT g.resource_owner FROM stored_project_grants AS g WHERE g.id = scope_id)
          NOT IN (SELECT id FROM removed_organizations)));

-- The memberships of each user: their own, and those of the groups that they are in. One of a group comes as often as ways lead there.
-- A CROSS JOIN of SQLite keeps its order: here the user leads to the groups.
CREATE VIEW held_memberships AS
  SELECT id, creation_date, resource_owner, user_id, scope_kind, scope_id, roles, group_id
  FROM memberships
  WHERE user_id IS NOT NULL
  UNION ALL
  SELECT m.id, m.creation_date, m.resource_owner, g.user_id, m.scope_kind, m.scope_id, m.roles, m.group_id
  FROM group_members AS g CROSS JOIN nested_groups AS n CROSS JOIN memberships AS m
  WHERE n.inner_id = g.group_id AND m.group_id = n.outer_id;

-- The same, for those who ask by the scope: here it leads to the users.
CREATE VIEW holders_of_scopes AS
  SELECT id, creation_date, resource_owner, user_id, scope_kind, scope_id, roles, group_id
  FROM memberships
  WHERE user_id IS NOT NULL
  UNION ALL
  SELECT m.id, m.creation_date, m.resource_owner, g.user_id, m.scope_kind, m.scope_id, m.roles, m.group_id
  FROM memberships AS m CROSS JOIN nested_groups AS n CROSS JOIN group_members AS g
  WHERE n.outer_id = m.group_id AND g.group_id = n.inner_id;
