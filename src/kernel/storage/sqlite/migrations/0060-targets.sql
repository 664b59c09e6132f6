-- URLs to which the events of an organization or of the instance are delivered.
CREATE TABLE targets (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  state TEXT NOT NULL,
  name TEXT NOT NULL,
  folded_name TEXT NOT NULL,
  url TEXT NOT NULL,
  event_types TEXT NOT NULL, -- JSON
  token_id TEXT NOT NULL, -- of credentials, where it may be gone
  secrets TEXT NOT NULL -- JSON: ids with their dates, oldest first
) STRICT;
CREATE INDEX targets_by_owner ON targets (resource_owner, creation_date, id);
CREATE INDEX targets_by_state ON targets (state, id);
CREATE UNIQUE INDEX targets_by_name ON targets (resource_owner, folded_name);

-- How far each target has come. Kept beside the log.
CREATE TABLE target_positions (
  target_id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_ms INTEGER NOT NULL,
  generation INTEGER NOT NULL,
  holder TEXT NOT NULL, -- the process that delivers, ''
  held_until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What became of events that were sent. Kept beside the log, for 30 days.
CREATE TABLE target_deliveries (
  target_id TEXT NOT NULL,
  sequence INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  failure TEXT NOT NULL, -- '': it was delivered
  status INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  first_attempt_ms INTEGER NOT NULL,
  last_attempt_ms INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  PRIMARY KEY (target_id, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX target_deliveries_by_date ON target_deliveries (last_attempt_ms);
