-- Requests for logins that applications have pushed, until a browser brings their reference. Not made from the log; a row is
-- deleted by its use, with its application, or in the background when its time is over. Times are milliseconds since 1970.
CREATE TABLE pushed_requests (
  hash TEXT COLLATE "C" NOT NULL PRIMARY KEY, -- SHA-256 (base64url) of the reference
  application_id TEXT COLLATE "C" NOT NULL,
  holder_hash TEXT COLLATE "C" NOT NULL, -- keyed, of application and address: only so many requests wait for one
  key_id TEXT COLLATE "C" NOT NULL, -- the master key that the content is encrypted with
  content BYTEA NOT NULL, -- the parameters
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX pushed_requests_by_holder ON pushed_requests (holder_hash, expiration_ms);
CREATE INDEX pushed_requests_by_application ON pushed_requests (application_id);
CREATE INDEX pushed_requests_by_expiration ON pushed_requests (expiration_ms);
