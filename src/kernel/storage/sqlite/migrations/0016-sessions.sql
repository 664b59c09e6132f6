-- The sessions of users in browsers. Made from the log.
CREATE TABLE sessions (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL, -- the organization of the user
  user_id TEXT NOT NULL,
  application_id TEXT, -- the one that the user logged in to
  state TEXT NOT NULL,
  checks TEXT NOT NULL, -- JSON array: what was proved, and when
  user_agent TEXT,
  remote_address TEXT,
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_organization ON sessions (resource_owner, creation_date, id);
CREATE INDEX sessions_by_state ON sessions (resource_owner, state, creation_date, id);
CREATE INDEX sessions_by_user ON sessions (user_id, creation_date, id);
CREATE INDEX sessions_of_user_by_state ON sessions (user_id, state, creation_date, id);
CREATE INDEX sessions_by_expiration ON sessions (expiration_ms) WHERE state = 'ACTIVE';

-- The login policies of organizations, and the default, which the instance owns. Made from the log.
CREATE TABLE login_policies (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL UNIQUE,
  allow_password INTEGER NOT NULL,
  force_mfa INTEGER NOT NULL,
  min_password_length INTEGER NOT NULL,
  max_password_attempts INTEGER NOT NULL,
  session_idle_seconds INTEGER NOT NULL,
  session_lifetime_seconds INTEGER NOT NULL,
  second_factors TEXT NOT NULL -- JSON array; empty = all kinds
) STRICT, WITHOUT ROWID;

-- The first logins into applications of other organizations to which users have said yes. Made from the log.
CREATE TABLE confirmations (
  user_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  PRIMARY KEY (user_id, application_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX confirmations_by_application ON confirmations (application_id);

-- From here on nothing is made from the log. Times are milliseconds since 1970.

-- The value that the browser of a session sends, of which only a SHA-256 hash (base64url) is stored.
CREATE TABLE session_values (
  hash TEXT NOT NULL PRIMARY KEY,
  session_id TEXT NOT NULL UNIQUE,
  used_ms INTEGER NOT NULL, -- the last use, within a minute
  expiration_ms INTEGER NOT NULL -- when it has not been used for too long
) STRICT, WITHOUT ROWID;
CREATE INDEX session_values_by_expiration ON session_values (expiration_ms);

-- What users have let applications do: one row for each code that was issued. Tables of what came of it refer to it with ON
-- DELETE CASCADE.
CREATE TABLE authorizations (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL, -- microseconds since 1970
  resource_owner TEXT NOT NULL, -- the organization of the user
  user_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  scope TEXT NOT NULL, -- scopes with a space between each
  nonce TEXT,
  auth_time_ms INTEGER NOT NULL,
  methods TEXT NOT NULL, -- JSON array
  lock_count INTEGER NOT NULL, -- that of the user when it was made
  generation INTEGER NOT NULL, -- access tokens of earlier ones have ended
  access_end_date INTEGER NOT NULL, -- the event that last ended them, in microseconds since 1970
  has_refresh INTEGER NOT NULL, -- whether refresh tokens came of it
  is_ended INTEGER NOT NULL,
  expiration_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX authorizations_by_user ON authorizations (user_id, has_refresh, is_ended, creation_date, id);
CREATE INDEX authorizations_by_session ON authorizations (session_id);
CREATE INDEX authorizations_by_application ON authorizations (application_id);
CREATE INDEX authorizations_refreshable ON authorizations (application_id) WHERE has_refresh = 1 AND is_ended = 0;
CREATE INDEX authorizations_by_expiration ON authorizations (expiration_ms);

-- An access token rests on a credential, or on an authorization.
ALTER TABLE access_tokens ADD COLUMN authorization_id TEXT REFERENCES authorizations (id) ON DELETE CASCADE;
ALTER TABLE access_tokens ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
CREATE INDEX access_tokens_by_authorization ON access_tokens (authorization_id);
