-- Logouts by SAML that go on: a browser visits the applications of a session that has ended. Not made from the log; a row is deleted
-- with its answer, with the user or the application that asked, or in the background when its time is over. Times are milliseconds
-- since 1970.
CREATE TABLE saml_logouts (
  id TEXT NOT NULL PRIMARY KEY,
  cookie_hash TEXT NOT NULL, -- SHA-256 (base64url) of the cookie that the browser has for it
  user_id TEXT NOT NULL, -- whose session has ended
  application_id TEXT, -- that asked for the logout; null: a page of ours did
  request_hash TEXT, -- SHA-256 (base64url) of the ID of the LogoutRequest that waits for its answer; null: none does
  key_id TEXT NOT NULL, -- the master key that the content is encrypted with
  content BLOB NOT NULL, -- who asked, who was asked, and who is left
  expiration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX saml_logouts_by_user ON saml_logouts (user_id);
CREATE INDEX saml_logouts_by_application ON saml_logouts (application_id);
CREATE INDEX saml_logouts_by_request ON saml_logouts (request_hash);
CREATE INDEX saml_logouts_by_expiration ON saml_logouts (expiration_ms);
