-- What pages and mails say in place of the defaults, by language.
CREATE TABLE custom_texts (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL, -- the organization, or the instance
  language TEXT COLLATE "C" NOT NULL,
  texts TEXT COLLATE "C" NOT NULL, -- JSON, as in the events
  UNIQUE (resource_owner, language)
);
