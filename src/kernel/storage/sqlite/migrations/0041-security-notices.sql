-- Whether users get a mail when something that they sign in with is added, changed or removed.
ALTER TABLE login_policies ADD COLUMN notify_security_changes INTEGER NOT NULL DEFAULT 1;

-- What users are still to hear: that something which they sign in with was added, changed or removed. Not made from the log, so that a
-- rebuild tells nobody a second time. A row is written with the change, and goes when the mail is out, or when no try is left.
CREATE TABLE security_notices (
  sequence INTEGER NOT NULL PRIMARY KEY, -- of the event of the change
  user_id TEXT NOT NULL,
  email TEXT NOT NULL, -- where the mail goes: the address that was verified before the change
  change TEXT NOT NULL,
  tries INTEGER NOT NULL, -- how many have begun
  next_ms INTEGER NOT NULL -- no try begins before, in milliseconds since 1970; while one is under way, when it is given up
) STRICT, WITHOUT ROWID;
CREATE INDEX security_notices_by_user ON security_notices (user_id, email, sequence);
CREATE INDEX security_notices_by_time ON security_notices (next_ms, sequence);
