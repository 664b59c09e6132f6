-- Where OIDC applications hear of the end of sessions; as in their settings. Empty: nowhere.
ALTER TABLE stored_applications ADD COLUMN back_channel_logout_uri TEXT NOT NULL DEFAULT '';

-- The applications that users have logged in to within sessions that have not ended. Made from the log.
CREATE TABLE session_applications (
  session_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  PRIMARY KEY (session_id, application_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_applications_by_application ON session_applications (application_id);
CREATE INDEX session_applications_by_user ON session_applications (user_id);

INSERT INTO session_applications (session_id, application_id, user_id)
  SELECT DISTINCT s.id, a.id, s.user_id
  FROM events e JOIN sessions s ON s.id = json_extract(e.payload, '$.session_id')
    JOIN stored_applications a ON a.id = json_extract(e.payload, '$.application_id')
  WHERE e.type = 'authorization.granted' AND s.state = 'ACTIVE';

-- What applications are still to be told: that a session has ended. Not made from the log, so that a rebuild tells nobody a second
-- time. A row is written with the end of the session, and goes when it was told, or when no try is left.
CREATE TABLE logout_notices (
  session_id TEXT NOT NULL,
  application_id TEXT NOT NULL,
  user_id TEXT NOT NULL,
  tries INTEGER NOT NULL, -- how many have begun
  next_ms INTEGER NOT NULL, -- no try begins before, in milliseconds since 1970; while one is under way, when it is given up
  PRIMARY KEY (session_id, application_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX logout_notices_by_application ON logout_notices (application_id, next_ms, session_id);
CREATE INDEX logout_notices_by_time ON logout_notices (next_ms);
