-- How often users signed in, to what and by what, without saying who. Not made from the log.
CREATE TABLE activity_hours (
  resource_owner TEXT NOT NULL, -- the organization of the users; empty = all of them
  hour INTEGER NOT NULL, -- hours since 1970; of applications that which the day begins with
  kind TEXT NOT NULL, -- sign_in, proved, refused or application
  subject TEXT NOT NULL, -- the method, or the id of the application
  count INTEGER NOT NULL,
  PRIMARY KEY (resource_owner, hour, kind, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX activity_hours_by_hour ON activity_hours (hour);
CREATE INDEX activity_hours_by_application ON activity_hours (subject) WHERE kind = 'application';

-- How many users were active, without saying who. Not made from the log.
CREATE TABLE active_users (
  resource_owner TEXT NOT NULL, -- the organization of the users; empty = all of them
  span INTEGER NOT NULL, -- spans of 6 hours since 1970
  sketch BLOB NOT NULL, -- the registers of a HyperLogLog sketch
  PRIMARY KEY (resource_owner, span)
) STRICT, WITHOUT ROWID;
CREATE INDEX active_users_by_span ON active_users (span);

CREATE INDEX second_factors_in_use ON second_factors (resource_owner, type, state, user_id);
CREATE INDEX passkeys_in_use ON passkeys (resource_owner, state, user_id);
CREATE INDEX recovery_codes_in_use ON recovery_codes (resource_owner, remaining, user_id);
CREATE INDEX idp_links_in_use ON idp_links (resource_owner, is_questioned, user_id);
