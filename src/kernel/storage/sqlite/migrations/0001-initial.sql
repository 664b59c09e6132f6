-- Facts of the installation that are not in the log: the id of the instance, which master keys belong here.
CREATE TABLE settings (
  name TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The log. Append only. Dates are microseconds since 1970.
CREATE TABLE events (
  sequence INTEGER NOT NULL PRIMARY KEY,
  date INTEGER NOT NULL,
  aggregate_type TEXT NOT NULL,
  aggregate_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  editor TEXT NOT NULL,
  request_id TEXT NOT NULL,
  remote_address BLOB,
  payload TEXT NOT NULL,
  personal BLOB,
  UNIQUE (aggregate_type, aggregate_id, revision)
) STRICT;

-- Secret material. Not made from the log.
CREATE TABLE secrets (
  id TEXT NOT NULL PRIMARY KEY,
  key_id TEXT NOT NULL,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- When metadata of applications is fetched next. Not made from the log: fetches that change nothing are no events.
CREATE TABLE metadata_refreshes (
  application_id TEXT NOT NULL PRIMARY KEY,
  -- Milliseconds since 1970.
  next_ms INTEGER NOT NULL,
  -- Fetches in a row that could not reach the server.
  failures INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX metadata_refreshes_by_time ON metadata_refreshes (next_ms);

-- From here on every table is made from the log.

CREATE TABLE organizations (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

CREATE TABLE users (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL REFERENCES organizations (id),
  state TEXT NOT NULL,
  kind TEXT NOT NULL,
  -- Personal fields are null once the key of the user is destroyed.
  username TEXT,
  folded_username TEXT UNIQUE,
  given_name TEXT,
  family_name TEXT,
  display_name TEXT,
  preferred_language TEXT,
  email TEXT,
  is_email_verified INTEGER NOT NULL,
  phone TEXT,
  is_phone_verified INTEGER NOT NULL,
  name TEXT,
  description TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX users_by_organization ON users (resource_owner, creation_date, id);

CREATE TABLE second_factors (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  state TEXT NOT NULL,
  domain TEXT NOT NULL,
  name TEXT,
  credential_id TEXT UNIQUE,
  public_key TEXT,
  counter INTEGER,
  aaguid TEXT,
  attestation_format TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX second_factors_by_user ON second_factors (user_id, creation_date, id);

CREATE TABLE personal_access_tokens (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  -- Milliseconds since 1970; null = never.
  expiration_ms INTEGER,
  -- Who made it: a user id or `system`.
  creator TEXT NOT NULL,
  made_with_token_id TEXT REFERENCES personal_access_tokens (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (user_id, creation_date, id);
CREATE INDEX personal_access_tokens_by_parent ON personal_access_tokens (made_with_token_id);

CREATE TABLE identity_providers (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL REFERENCES organizations (id),
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  styling_type TEXT NOT NULL,
  auto_register INTEGER NOT NULL,
  kind TEXT NOT NULL,
  -- The configuration of the kind, JSON as in the event.
  config TEXT NOT NULL,
  UNIQUE (resource_owner, folded_name)
) STRICT, WITHOUT ROWID;

CREATE TABLE projects (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL REFERENCES organizations (id),
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  project_role_assertion INTEGER NOT NULL,
  project_role_check INTEGER NOT NULL,
  has_project_check INTEGER NOT NULL,
  private_labeling_setting TEXT NOT NULL,
  UNIQUE (resource_owner, folded_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX projects_by_organization ON projects (resource_owner, creation_date, id);

CREATE TABLE project_roles (
  project_id TEXT NOT NULL REFERENCES projects (id),
  role_key TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  display_name TEXT NOT NULL,
  role_group TEXT NOT NULL,
  PRIMARY KEY (project_id, role_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE project_grants (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  state TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  granted_organization_id TEXT NOT NULL REFERENCES organizations (id),
  UNIQUE (project_id, granted_organization_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX project_grants_by_granted_organization ON project_grants (granted_organization_id, creation_date, id);

CREATE TABLE project_grant_roles (
  project_grant_id TEXT NOT NULL REFERENCES project_grants (id),
  role_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (project_grant_id, role_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE user_grants (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL REFERENCES organizations (id),
  state TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  project_id TEXT NOT NULL REFERENCES projects (id),
  -- Empty when the organization owns the project.
  project_grant_id TEXT NOT NULL,
  UNIQUE (resource_owner, user_id, project_id, project_grant_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_grants_by_user ON user_grants (user_id, creation_date, id);
CREATE INDEX user_grants_by_project ON user_grants (project_id);

CREATE TABLE user_grant_roles (
  user_grant_id TEXT NOT NULL REFERENCES user_grants (id),
  role_key TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (user_grant_id, role_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE memberships (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  user_id TEXT NOT NULL REFERENCES users (id),
  scope_kind TEXT NOT NULL,
  -- Id of the organization, project or project grant; empty for the instance.
  scope_id TEXT NOT NULL,
  -- JSON array of role names.
  roles TEXT NOT NULL,
  UNIQUE (user_id, scope_kind, scope_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE applications (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  state TEXT NOT NULL,
  project_id TEXT NOT NULL REFERENCES projects (id),
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  -- Null until metadata is in force.
  entity_id TEXT UNIQUE,
  metadata_xml TEXT,
  metadata_url TEXT NOT NULL,
  -- Microseconds since 1970; null when the document was sent or not fetched yet.
  metadata_fetch_date INTEGER,
  metadata_state TEXT NOT NULL,
  metadata_error TEXT NOT NULL,
  -- JSON array as in the event.
  assertion_consumer_services TEXT NOT NULL,
  UNIQUE (project_id, folded_name)
) STRICT, WITHOUT ROWID;
CREATE INDEX applications_by_project ON applications (project_id, creation_date, id);
