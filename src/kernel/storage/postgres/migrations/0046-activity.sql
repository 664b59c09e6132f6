-- How often users signed in, to what and by what, without saying who. Not made from the log.
CREATE TABLE activity_hours (
  resource_owner TEXT COLLATE "C" NOT NULL, -- the organization of the users; empty = all of them
  hour BIGINT NOT NULL, -- hours since 1970; of applications that which the day begins with
  kind TEXT COLLATE "C" NOT NULL, -- sign_in, proved, refused or application
  subject TEXT COLLATE "C" NOT NULL, -- the method, or the id of the application
  count BIGINT NOT NULL,
  PRIMARY KEY (resource_owner, hour, kind, subject)
);
CREATE INDEX activity_hours_by_hour ON activity_hours (hour);
CREATE INDEX activity_hours_by_application ON activity_hours (subject) WHERE kind = 'application';

-- How many users were active, without saying who. Not made from the log.
CREATE TABLE active_users (
  resource_owner TEXT COLLATE "C" NOT NULL, -- the organization of the users; empty = all of them
  span BIGINT NOT NULL, -- spans of 6 hours since 1970
  sketch BYTEA NOT NULL, -- the registers of a HyperLogLog sketch
  PRIMARY KEY (resource_owner, span)
);
CREATE INDEX active_users_by_span ON active_users (span);

CREATE INDEX second_factors_in_use ON second_factors (resource_owner, type, state, user_id);
CREATE INDEX passkeys_in_use ON passkeys (resource_owner, state);
CREATE INDEX recovery_codes_in_use ON recovery_codes (resource_owner, remaining, user_id);
CREATE INDEX idp_links_in_use ON idp_links (resource_owner, is_questioned);
