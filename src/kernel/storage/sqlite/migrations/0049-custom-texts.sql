-- What pages and mails say in place of the defaults, by language.
CREATE TABLE custom_texts (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL, -- the organization, or the instance
  language TEXT NOT NULL,
  texts TEXT NOT NULL, -- JSON, as in the events
  UNIQUE (resource_owner, language)
) STRICT, WITHOUT ROWID;
