-- URLs to which the events of an organization or of the instance are delivered.
CREATE TABLE targets (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  name TEXT COLLATE "C" NOT NULL,
  folded_name TEXT COLLATE "C" NOT NULL,
  url TEXT COLLATE "C" NOT NULL,
  event_types TEXT COLLATE "C" NOT NULL, -- JSON
  token_id TEXT COLLATE "C" NOT NULL, -- of credentials, where it may be gone
  secrets TEXT COLLATE "C" NOT NULL -- JSON: ids with their dates, oldest first
);
CREATE INDEX targets_by_owner ON targets (resource_owner, creation_date, id);
CREATE INDEX targets_by_state ON targets (state, id);
CREATE UNIQUE INDEX targets_by_name ON targets (resource_owner, folded_name);

-- How far each target has come. Kept beside the log.
CREATE TABLE target_positions (
  target_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  next_attempt_ms BIGINT NOT NULL,
  generation BIGINT NOT NULL,
  holder TEXT COLLATE "C" NOT NULL, -- the process that delivers, ''
  held_until_ms BIGINT NOT NULL
);

-- What became of events that were sent. Kept beside the log, for 30 days.
CREATE TABLE target_deliveries (
  target_id TEXT COLLATE "C" NOT NULL,
  sequence BIGINT NOT NULL,
  event_type TEXT COLLATE "C" NOT NULL,
  failure TEXT COLLATE "C" NOT NULL, -- '': it was delivered
  status BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  first_attempt_ms BIGINT NOT NULL,
  last_attempt_ms BIGINT NOT NULL,
  duration_ms BIGINT NOT NULL,
  PRIMARY KEY (target_id, sequence)
);
CREATE INDEX target_deliveries_by_date ON target_deliveries (last_attempt_ms);
