-- The schema as SQLite has it after its migration 12. From here on both engines have migrations of the same numbers.
--
-- Texts are compared byte by byte, as SQLite does, whatever the locale of the database: COLLATE "C". Booleans are 0 and 1.
-- Constraints can be deferred, so that a test may damage the log. What a statement names without `stored_` is a view.

-- One row, which every write locks first: so writes happen one after another, and sequences are in the order of commits.
CREATE TABLE log_position (
  is_only BIGINT NOT NULL PRIMARY KEY DEFAULT 1 CHECK (is_only = 1),
  last_sequence BIGINT NOT NULL, -- the last one that was reserved
  access_version BIGINT NOT NULL, -- raised by each commit that changes a table which decides about access
  last_id BIGINT NOT NULL, -- the last id that was given
  writer_epoch BIGINT NOT NULL -- the timeline of the server at the last write
);
INSERT INTO log_position (last_sequence, access_version, last_id, writer_epoch) VALUES (0, 0, 0, 0);

-- The last batch that each process has committed: by it a process learns whether a commit happened whose answer was lost.
CREATE TABLE writers (
  process TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- drawn at the start of the process
  batch BIGINT NOT NULL,
  date_ms BIGINT NOT NULL -- milliseconds since 1970, so that rows of processes that are gone can be found
);

-- Facts of the installation that are not in the log: the id of the instance, which master keys belong here.
CREATE TABLE settings (
  name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  value TEXT COLLATE "C" NOT NULL
);

-- The log. Append only. Dates are microseconds since 1970.
CREATE TABLE events (
  sequence BIGINT NOT NULL PRIMARY KEY,
  date BIGINT NOT NULL,
  aggregate_type TEXT COLLATE "C" NOT NULL,
  aggregate_id TEXT COLLATE "C" NOT NULL,
  revision BIGINT NOT NULL,
  type TEXT COLLATE "C" NOT NULL,
  version BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  editor TEXT COLLATE "C" NOT NULL,
  request_id TEXT COLLATE "C" NOT NULL,
  remote_address BYTEA,
  payload TEXT COLLATE "C" NOT NULL,
  personal BYTEA,
  remote_address_of BIGINT REFERENCES events (sequence) DEFERRABLE, -- the event that holds the address
  checksum BIGINT, -- a CRC-32 over all other columns of the row (src/events/checksum.ts)
  UNIQUE (aggregate_type, aggregate_id, revision)
);
-- Each ends with the sequence, the order of lists and watches.
CREATE INDEX events_by_organization ON events (resource_owner, sequence);
CREATE INDEX events_by_editor ON events (editor, sequence);
CREATE INDEX events_by_type ON events (type, sequence);
CREATE INDEX events_by_organization_and_type ON events (resource_owner, type, sequence);

-- Secret material. Not made from the log.
CREATE TABLE secrets (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  key_id TEXT COLLATE "C" NOT NULL,
  value BYTEA NOT NULL,
  checksum BIGINT
);

-- Answers to changes that were made with an idempotency key, for those who ask again. Not made from the log.
CREATE TABLE idempotent_answers (
  id BYTEA NOT NULL PRIMARY KEY, -- SHA-256 of the caller, the method and the idempotency key
  request_key_id TEXT COLLATE "C" NOT NULL, -- id of the key of the keyed hash
  request_mac BYTEA NOT NULL, -- keyed hash of the request and its conditions
  is_problem BIGINT NOT NULL,
  answer BYTEA NOT NULL, -- the message in protobuf without its secrets, or the problem in JSON
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX idempotent_answers_by_expiration ON idempotent_answers (expiration_ms);

-- When metadata of applications is fetched next. Not made from the log: fetches that change nothing are no events.
CREATE TABLE metadata_refreshes (
  application_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  next_ms BIGINT NOT NULL, -- milliseconds since 1970
  failures BIGINT NOT NULL, -- fetches in a row that could not reach the server
  fetch_date BIGINT -- microseconds since 1970 of the last fetch that found the metadata in force
);
CREATE INDEX metadata_refreshes_by_time ON metadata_refreshes (next_ms);

-- From here on every table is made from the log. The rows of a removed organization are deleted little by little; the views
-- below leave them out, and statements that write name the tables.

CREATE TABLE stored_organizations (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  folded_name TEXT COLLATE "C" NOT NULL UNIQUE
);
CREATE INDEX organizations_by_creation ON stored_organizations (creation_date, id);
CREATE INDEX organizations_removed ON stored_organizations (id) WHERE state = 'REMOVED';

CREATE TABLE stored_users (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL REFERENCES stored_organizations (id) DEFERRABLE,
  state TEXT COLLATE "C" NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  -- Personal fields are null once the key of the user is destroyed.
  username TEXT COLLATE "C",
  folded_username TEXT COLLATE "C" UNIQUE,
  given_name TEXT COLLATE "C",
  family_name TEXT COLLATE "C",
  display_name TEXT COLLATE "C",
  preferred_language TEXT COLLATE "C",
  email TEXT COLLATE "C",
  is_email_verified BIGINT NOT NULL,
  phone TEXT COLLATE "C",
  is_phone_verified BIGINT NOT NULL,
  name TEXT COLLATE "C",
  description TEXT COLLATE "C"
);
CREATE INDEX users_by_organization ON stored_users (resource_owner, creation_date, id);
CREATE INDEX users_by_state ON stored_users (resource_owner, state, creation_date, id);
-- The case of ASCII letters does not tell addresses apart.
CREATE INDEX users_by_email ON stored_users (resource_owner, lower(email), creation_date, id);

CREATE TABLE second_factors (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES stored_users (id) DEFERRABLE,
  state TEXT COLLATE "C" NOT NULL,
  domain TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C",
  credential_id TEXT COLLATE "C" UNIQUE,
  public_key TEXT COLLATE "C",
  counter BIGINT,
  aaguid TEXT COLLATE "C",
  attestation_format TEXT COLLATE "C"
);
CREATE INDEX second_factors_by_user ON second_factors (user_id, creation_date, id);

CREATE TABLE personal_access_tokens (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES stored_users (id) DEFERRABLE,
  expiration_ms BIGINT, -- milliseconds since 1970; null = never
  creator TEXT COLLATE "C" NOT NULL, -- who made it: a user id or `system`
  made_with_token_id TEXT COLLATE "C", -- the token of the call that made it, which may be gone by now
  was_limited BIGINT NOT NULL DEFAULT 0 -- 1 once it had a row in left_out_roles: only then it is worth a look there
);
CREATE INDEX personal_access_tokens_by_user ON personal_access_tokens (user_id, creation_date, id);
CREATE INDEX personal_access_tokens_by_parent ON personal_access_tokens (made_with_token_id);

CREATE TABLE identity_providers (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL REFERENCES stored_organizations (id) DEFERRABLE,
  state TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  folded_name TEXT COLLATE "C" NOT NULL,
  styling_type TEXT COLLATE "C" NOT NULL,
  auto_register BIGINT NOT NULL,
  kind TEXT COLLATE "C" NOT NULL,
  config TEXT COLLATE "C" NOT NULL, -- the configuration of the kind, JSON as in the event
  UNIQUE (resource_owner, folded_name)
);
CREATE INDEX identity_providers_by_organization ON identity_providers (resource_owner, creation_date, id);
CREATE INDEX identity_providers_by_state ON identity_providers (resource_owner, state, creation_date, id);

CREATE TABLE stored_projects (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL REFERENCES stored_organizations (id) DEFERRABLE,
  state TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  folded_name TEXT COLLATE "C" NOT NULL,
  project_role_assertion BIGINT NOT NULL,
  project_role_check BIGINT NOT NULL,
  has_project_check BIGINT NOT NULL,
  private_labeling_setting TEXT COLLATE "C" NOT NULL,
  UNIQUE (resource_owner, folded_name)
);
CREATE INDEX projects_by_organization ON stored_projects (resource_owner, creation_date, id);
CREATE INDEX projects_by_state ON stored_projects (resource_owner, state, creation_date, id);

CREATE TABLE project_roles (
  project_id TEXT COLLATE "C" NOT NULL REFERENCES stored_projects (id) DEFERRABLE,
  role_key TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  display_name TEXT COLLATE "C" NOT NULL,
  role_group TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, role_key)
);
CREATE INDEX project_roles_by_creation ON project_roles (project_id, creation_date, role_key);

CREATE TABLE stored_project_grants (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL REFERENCES stored_projects (id) DEFERRABLE,
  granted_organization_id TEXT COLLATE "C" NOT NULL REFERENCES stored_organizations (id) DEFERRABLE,
  UNIQUE (project_id, granted_organization_id)
);
CREATE INDEX project_grants_by_granted_organization
  ON stored_project_grants (granted_organization_id, creation_date, id);
CREATE INDEX project_grants_by_project ON stored_project_grants (project_id, creation_date, id);

CREATE TABLE project_grant_roles (
  project_grant_id TEXT COLLATE "C" NOT NULL REFERENCES stored_project_grants (id) DEFERRABLE,
  role_key TEXT COLLATE "C" NOT NULL,
  position BIGINT NOT NULL,
  PRIMARY KEY (project_grant_id, role_key)
);

CREATE TABLE stored_user_grants (
  user_id TEXT COLLATE "C" NOT NULL REFERENCES stored_users (id) DEFERRABLE,
  creation_date BIGINT NOT NULL,
  id TEXT COLLATE "C" NOT NULL UNIQUE,
  sequence BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL REFERENCES stored_organizations (id) DEFERRABLE,
  state TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL REFERENCES stored_projects (id) DEFERRABLE,
  project_grant_id TEXT COLLATE "C" NOT NULL, -- empty when the organization owns the project
  role_keys TEXT COLLATE "C" NOT NULL, -- JSON array in the order of the event
  PRIMARY KEY (user_id, creation_date, id)
);
CREATE UNIQUE INDEX user_grants_unique
  ON stored_user_grants (project_id, resource_owner, project_grant_id, user_id);
CREATE INDEX user_grants_by_organization ON stored_user_grants (resource_owner, creation_date, id);
CREATE INDEX user_grants_by_project ON stored_user_grants (project_id, resource_owner, creation_date, id);
-- Grants of users that rest on a project grant.
CREATE INDEX user_grants_by_project_grant ON stored_user_grants (project_grant_id) WHERE project_grant_id <> '';

-- For the lists that go by a role and nothing else; each column is known from the grant.
CREATE TABLE user_grant_roles (
  project_id TEXT COLLATE "C" NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  role_key TEXT COLLATE "C" NOT NULL,
  creation_date BIGINT NOT NULL,
  user_grant_id TEXT COLLATE "C" NOT NULL,
  PRIMARY KEY (project_id, resource_owner, role_key, creation_date, user_grant_id)
);
CREATE INDEX user_grant_roles_by_role
  ON user_grant_roles (resource_owner, role_key, creation_date, user_grant_id);

CREATE TABLE stored_memberships (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL REFERENCES stored_users (id) DEFERRABLE,
  scope_kind TEXT COLLATE "C" NOT NULL,
  scope_id TEXT COLLATE "C" NOT NULL, -- of the organization, project or project grant; empty for the instance
  roles TEXT COLLATE "C" NOT NULL, -- JSON array of role names
  UNIQUE (user_id, scope_kind, scope_id)
);
CREATE INDEX memberships_by_creation ON stored_memberships (creation_date, id);
CREATE INDEX memberships_by_organization ON stored_memberships (resource_owner, creation_date, id);
CREATE INDEX memberships_by_scope ON stored_memberships (scope_kind, scope_id, creation_date, id);
CREATE INDEX memberships_by_user ON stored_memberships (user_id, creation_date, id);

-- Roles of a membership that a token of its user does not carry. A token with a row here is limited.
CREATE TABLE left_out_roles (
  token_id TEXT COLLATE "C" NOT NULL REFERENCES personal_access_tokens (id) ON DELETE CASCADE DEFERRABLE,
  membership_id TEXT COLLATE "C" NOT NULL REFERENCES stored_memberships (id) ON DELETE CASCADE DEFERRABLE,
  roles TEXT COLLATE "C" NOT NULL, -- JSON array of role names, never empty
  PRIMARY KEY (token_id, membership_id)
);
CREATE INDEX left_out_roles_by_membership ON left_out_roles (membership_id);

CREATE TABLE stored_applications (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  project_id TEXT COLLATE "C" NOT NULL REFERENCES stored_projects (id) DEFERRABLE,
  name TEXT COLLATE "C" NOT NULL,
  folded_name TEXT COLLATE "C" NOT NULL,
  entity_id TEXT COLLATE "C" UNIQUE, -- null until metadata is in force
  metadata_xml TEXT COLLATE "C",
  metadata_url TEXT COLLATE "C" NOT NULL,
  metadata_fetch_date BIGINT, -- microseconds since 1970; null when the document was sent or not fetched yet
  metadata_state TEXT COLLATE "C" NOT NULL,
  metadata_error TEXT COLLATE "C" NOT NULL,
  assertion_consumer_services TEXT COLLATE "C" NOT NULL, -- JSON array as in the event
  -- Until when the metadata in force says that it is valid, in milliseconds since 1970; 0 when it does not say, and null
  -- without metadata.
  metadata_valid_until BIGINT,
  UNIQUE (project_id, folded_name)
);
CREATE INDEX applications_by_project ON stored_applications (project_id, creation_date, id);
CREATE INDEX applications_by_state ON stored_applications (project_id, state, creation_date, id);

CREATE VIEW removed_organizations AS
  SELECT id FROM stored_organizations WHERE state = 'REMOVED';

CREATE VIEW organizations AS
  SELECT id, sequence, creation_date, state, name, folded_name
  FROM stored_organizations
  WHERE state <> 'REMOVED';

-- That there is none is asked once in a statement and hardly ever otherwise: only then is each row looked at.
CREATE VIEW users AS
  SELECT id, sequence, creation_date, resource_owner, state, kind, username, folded_username, given_name, family_name,
    display_name, preferred_language, email, is_email_verified, phone, is_phone_verified, name, description
  FROM stored_users
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

CREATE VIEW projects AS
  SELECT id, sequence, creation_date, resource_owner, state, name, folded_name, project_role_assertion,
    project_role_check, has_project_check, private_labeling_setting
  FROM stored_projects
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

CREATE VIEW applications AS
  SELECT id, sequence, creation_date, resource_owner, state, project_id, name, folded_name, entity_id, metadata_xml,
    metadata_url, metadata_fetch_date, metadata_state, metadata_error, assertion_consumer_services, metadata_valid_until
  FROM stored_applications
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR resource_owner NOT IN (SELECT id FROM removed_organizations);

CREATE VIEW project_grants AS
  SELECT id, sequence, creation_date, resource_owner, state, project_id, granted_organization_id
  FROM stored_project_grants
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND granted_organization_id NOT IN (SELECT id FROM removed_organizations));

CREATE VIEW user_grants AS
  SELECT user_id, creation_date, id, sequence, resource_owner, state, project_id, project_grant_id, role_keys
  FROM stored_user_grants
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT u.resource_owner FROM stored_users AS u WHERE u.id = user_id)
        NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT p.resource_owner FROM stored_projects AS p WHERE p.id = project_id)
        NOT IN (SELECT id FROM removed_organizations));

-- The owner of a membership on a project grant is the organization that the project was granted to.
CREATE VIEW memberships AS
  SELECT id, sequence, creation_date, resource_owner, user_id, scope_kind, scope_id, roles
  FROM stored_memberships
  WHERE NOT EXISTS (SELECT 1 FROM removed_organizations)
    OR (resource_owner NOT IN (SELECT id FROM removed_organizations)
      AND (SELECT u.resource_owner FROM stored_users AS u WHERE u.id = user_id)
        NOT IN (SELECT id FROM removed_organizations)
      AND (scope_kind <> 'project-grant'
        OR (SELECT g.resource_owner FROM stored_project_grants AS g WHERE g.id = scope_id)
          NOT IN (SELECT id FROM removed_organizations)));
