-- The links to identities at identity providers with which users have logged in to sessions, also to sessions that have ended: refresh
-- tokens go on without them. Made from the log.
CREATE TABLE session_links (
  session_id TEXT COLLATE "C" NOT NULL,
  link_id TEXT COLLATE "C" NOT NULL,
  idp_id TEXT COLLATE "C" NOT NULL, -- that of the link
  PRIMARY KEY (session_id, link_id)
);
CREATE INDEX session_links_by_link ON session_links (link_id, session_id);
CREATE INDEX session_links_by_idp ON session_links (idp_id, session_id);

-- Nobody has recorded with which link: it may have been any that the user has.
INSERT INTO session_links (session_id, link_id, idp_id)
  SELECT s.id, l.id, l.idp_id FROM sessions s JOIN idp_links l ON l.user_id = s.user_id WHERE s.checks LIKE '%"IDP"%';
