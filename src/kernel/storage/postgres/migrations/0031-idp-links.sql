-- The identities at identity providers with which users log in. Made from the log.
CREATE TABLE idp_links (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL, -- the organization of the user
  user_id TEXT COLLATE "C" NOT NULL,
  idp_id TEXT COLLATE "C" NOT NULL,
  issuer TEXT COLLATE "C" NOT NULL, -- that of the provider when the link was made: while it has another one, the link lets nobody in
  external_user_id TEXT COLLATE "C" NOT NULL,
  external_username TEXT COLLATE "C", -- null = none
  creator TEXT COLLATE "C" NOT NULL, -- who made the link
  made_with_token_id TEXT COLLATE "C", -- the token of that call
  is_questioned BIGINT NOT NULL DEFAULT 0 -- 1 = the user is to decide about it, and until then it lets nobody in
);
CREATE UNIQUE INDEX idp_links_by_identity ON idp_links (idp_id, external_user_id);
CREATE INDEX idp_links_by_user ON idp_links (user_id, creation_date, id);

-- The identity providers that organizations with a login policy of their own offer. Made from the log.
CREATE TABLE login_policy_idps (
  policy_id TEXT COLLATE "C" NOT NULL,
  idp_id TEXT COLLATE "C" NOT NULL,
  creation_date BIGINT NOT NULL,
  PRIMARY KEY (policy_id, idp_id)
);
CREATE INDEX login_policy_idps_by_policy ON login_policy_idps (policy_id, creation_date, idp_id);
CREATE INDEX login_policy_idps_by_idp ON login_policy_idps (idp_id);
