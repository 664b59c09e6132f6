-- Devices that ask for a login which somebody allows in another browser (RFC 8628). Nothing here is made from the log; rows whose
-- time is over are deleted in the background. Times are milliseconds since 1970. Of the device code only a SHA-256 hash
-- (base64url) is stored.
CREATE TABLE device_authorizations (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- of the device code
  user_code_hash TEXT COLLATE "C" UNIQUE, -- keyed, of the code that people type; null once somebody has decided
  holder_hash TEXT COLLATE "C" NOT NULL, -- keyed, of application and address: only so many devices wait for one
  application_id TEXT COLLATE "C" NOT NULL,
  scope TEXT COLLATE "C" NOT NULL, -- scopes with a space between each
  authorization_id TEXT COLLATE "C" REFERENCES authorizations (id) ON DELETE CASCADE DEFERRABLE, -- null: nobody has allowed the device
  interval_seconds BIGINT NOT NULL, -- how long the device waits between two polls
  last_poll_ms BIGINT,
  used_ms BIGINT, -- when the tokens were given
  expiration_ms BIGINT NOT NULL, -- until when somebody may decide, and the device get tokens
  kept_until_ms BIGINT NOT NULL -- until when a late or a second use is recognised
);
CREATE INDEX device_authorizations_by_holder ON device_authorizations (holder_hash, expiration_ms);
CREATE INDEX device_authorizations_by_application ON device_authorizations (application_id);
CREATE INDEX device_authorizations_by_authorization ON device_authorizations (authorization_id);
CREATE INDEX device_authorizations_by_end ON device_authorizations (kept_until_ms);
