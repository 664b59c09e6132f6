-- Devices that ask for a login which somebody allows in another browser (RFC 8628). Nothing here is made from the log; rows whose
-- time is over are deleted in the background. Times are milliseconds since 1970. Of the device code only a SHA-256 hash
-- (base64url) is stored.
CREATE TABLE device_authorizations (
  hash TEXT NOT NULL PRIMARY KEY, -- of the device code
  user_code_hash TEXT UNIQUE, -- keyed, of the code that people type; null once somebody has decided
  holder_hash TEXT NOT NULL, -- keyed, of application and address: only so many devices wait for one
  application_id TEXT NOT NULL,
  scope TEXT NOT NULL, -- scopes with a space between each
  authorization_id TEXT REFERENCES authorizations (id) ON DELETE CASCADE, -- null: nobody has allowed the device
  interval_seconds INTEGER NOT NULL, -- how long the device waits between two polls
  last_poll_ms INTEGER,
  used_ms INTEGER, -- when the tokens were given
  expiration_ms INTEGER NOT NULL, -- until when somebody may decide, and the device get tokens
  kept_until_ms INTEGER NOT NULL -- until when a late or a second use is recognised
) STRICT, WITHOUT ROWID;
CREATE INDEX device_authorizations_by_holder ON device_authorizations (holder_hash, expiration_ms);
CREATE INDEX device_authorizations_by_application ON device_authorizations (application_id);
CREATE INDEX device_authorizations_by_authorization ON device_authorizations (authorization_id);
CREATE INDEX device_authorizations_by_end ON device_authorizations (kept_until_ms);
