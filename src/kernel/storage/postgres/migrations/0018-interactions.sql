-- What the service keeps of browsers in which somebody logs in. Nothing of it is made from the log, and rows whose time is over
-- are deleted in the background. Times are milliseconds since 1970. Of a cookie only the SHA-256 hash (base64url) is stored.

-- Logins that have begun and not ended, and logouts that wait for their browser.
CREATE TABLE interactions (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  cookie_hash TEXT COLLATE "C" NOT NULL, -- of the cookie that the browser has for it
  user_id TEXT COLLATE "C", -- whose first factor was proved; null: nobody's
  user_organization_id TEXT COLLATE "C", -- of the user; null: nobody's, too
  application_id TEXT COLLATE "C", -- that asked for it; null: a page of ours did
  application_organization_id TEXT COLLATE "C", -- of the application; null: a page of ours asked
  holder_hash TEXT COLLATE "C", -- keyed, of the network that it has begun in; null: it does not count there
  key_id TEXT COLLATE "C" NOT NULL, -- the master key that the content is encrypted with
  content BYTEA NOT NULL, -- what was asked for, and what was proved so far
  expiration_ms BIGINT NOT NULL
);
CREATE INDEX interactions_by_user ON interactions (user_id, expiration_ms);
CREATE INDEX interactions_by_user_organization ON interactions (user_organization_id);
CREATE INDEX interactions_by_application ON interactions (application_organization_id, application_id);
CREATE INDEX interactions_by_holder ON interactions (holder_hash, expiration_ms) WHERE user_id IS NULL;
CREATE INDEX interactions_by_expiration ON interactions (expiration_ms);

-- Browsers in which a user has logged in before.
CREATE TABLE known_browsers (
  hash TEXT COLLATE "C" NOT NULL, -- of the cookie that the browser has
  first_hash TEXT COLLATE "C" NOT NULL, -- of the cookie by which it was first known as the user's; tries are counted under it
  user_id TEXT COLLATE "C" NOT NULL,
  expiration_ms BIGINT NOT NULL,
  PRIMARY KEY (hash, user_id)
);
CREATE INDEX known_browsers_by_user ON known_browsers (user_id);
CREATE INDEX known_browsers_by_expiration ON known_browsers (expiration_ms);
