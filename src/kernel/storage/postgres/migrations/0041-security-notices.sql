-- Whether users get a mail when something that they sign in with is added, changed or removed.
ALTER TABLE login_policies ADD COLUMN notify_security_changes BIGINT NOT NULL DEFAULT 1;

-- What users are still to hear: that something which they sign in with was added, changed or removed. Not made from the log, so that a
-- rebuild tells nobody a second time. A row is written with the change, and goes when the mail is out, or when no try is left.
CREATE TABLE security_notices (
  sequence BIGINT NOT NULL PRIMARY KEY, -- of the event of the change
  user_id TEXT COLLATE "C" NOT NULL,
  email TEXT COLLATE "C" NOT NULL, -- where the mail goes: the address that was verified before the change
  change TEXT COLLATE "C" NOT NULL,
  tries BIGINT NOT NULL, -- how many have begun
  next_ms BIGINT NOT NULL -- no try begins before, in milliseconds since 1970; while one is under way, when it is given up
);
CREATE INDEX security_notices_by_user ON security_notices (user_id, email, sequence);
CREATE INDEX security_notices_by_time ON security_notices (next_ms, sequence);
