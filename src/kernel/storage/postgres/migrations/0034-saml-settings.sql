-- The settings of SAML applications stand in stored_applications.settings, as those of other kinds: JSON as in the event, null = as at
-- the beginning.

-- The SAML applications that users have logged in to within a session, with what they were told who the user is: a row for each name.
-- Not made from the log. A row is deleted with the user, the application, its project or their organizations, for a later name of the
-- same format, or in the background when the time of the session is over; the end of the session before leaves it. Times are
-- milliseconds since 1970.
CREATE TABLE saml_participations (
  session_id TEXT COLLATE "C" NOT NULL,
  application_id TEXT COLLATE "C" NOT NULL,
  user_id TEXT COLLATE "C" NOT NULL,
  user_organization_id TEXT COLLATE "C" NOT NULL,
  application_organization_id TEXT COLLATE "C" NOT NULL,
  name_id_format TEXT COLLATE "C" NOT NULL, -- PERSISTENT, TRANSIENT, EMAIL_ADDRESS or USERNAME
  name_id_hash TEXT COLLATE "C" NOT NULL, -- SHA-256 (base64url) of the value of the NameID
  key_id TEXT COLLATE "C" NOT NULL, -- the master key that the NameID is encrypted with
  name_id BYTEA NOT NULL,
  name_number BIGINT NOT NULL, -- in a session and application: the higher, the later the name was given
  session_index TEXT COLLATE "C" NOT NULL, -- the same in all rows of the session and the application
  authentication_ms BIGINT NOT NULL,
  expiration_ms BIGINT NOT NULL,
  PRIMARY KEY (session_id, application_id, name_id_hash)
);
CREATE INDEX saml_participations_by_name ON saml_participations (application_id, name_id_hash);
CREATE INDEX saml_participations_by_user ON saml_participations (user_id);
CREATE INDEX saml_participations_by_user_organization ON saml_participations (user_organization_id);
CREATE INDEX saml_participations_by_application_organization ON saml_participations (application_organization_id);
CREATE INDEX saml_participations_by_expiration ON saml_participations (expiration_ms);
