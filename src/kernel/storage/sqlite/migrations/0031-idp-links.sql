-- The identities at identity providers with which users log in. Made from the log.
CREATE TABLE idp_links (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL, -- the organization of the user
  user_id TEXT NOT NULL,
  idp_id TEXT NOT NULL,
  issuer TEXT NOT NULL, -- that of the provider when the link was made: while it has another one, the link lets nobody in
  external_user_id TEXT NOT NULL,
  external_username TEXT, -- null = none
  creator TEXT NOT NULL, -- who made the link
  made_with_token_id TEXT, -- the token of that call
  is_questioned INTEGER NOT NULL DEFAULT 0 -- 1 = the user is to decide about it, and until then it lets nobody in
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX idp_links_by_identity ON idp_links (idp_id, external_user_id);
CREATE INDEX idp_links_by_user ON idp_links (user_id, creation_date, id);

-- The identity providers that organizations with a login policy of their own offer. Made from the log.
CREATE TABLE login_policy_idps (
  policy_id TEXT NOT NULL,
  idp_id TEXT NOT NULL,
  creation_date INTEGER NOT NULL,
  PRIMARY KEY (policy_id, idp_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX login_policy_idps_by_policy ON login_policy_idps (policy_id, creation_date, idp_id);
CREATE INDEX login_policy_idps_by_idp ON login_policy_idps (idp_id);
