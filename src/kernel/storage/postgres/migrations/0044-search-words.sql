-- The words by which objects are found, and, each behind an exclamation mark, the texts that find them only in full. Made from the log, as
-- the objects are; for those of an earlier version by the first start. They go with the object, also where a process of that version removes it.

CREATE TABLE user_words (
  owner_id TEXT COLLATE "C" NOT NULL, -- the organization
  word TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL REFERENCES stored_users (id) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (owner_id, word, id)
);
CREATE INDEX user_words_by_word ON user_words (word, id);
CREATE INDEX user_words_by_id ON user_words (id, word);

CREATE TABLE organization_words (
  owner_id TEXT COLLATE "C" NOT NULL, -- the organization
  word TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL REFERENCES stored_organizations (id) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (owner_id, word, id)
);
CREATE INDEX organization_words_by_word ON organization_words (word, id);
CREATE INDEX organization_words_by_id ON organization_words (id, word);

CREATE TABLE project_words (
  owner_id TEXT COLLATE "C" NOT NULL, -- the organization
  word TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL REFERENCES stored_projects (id) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (owner_id, word, id)
);
CREATE INDEX project_words_by_word ON project_words (word, id);
CREATE INDEX project_words_by_id ON project_words (id, word);

CREATE TABLE application_words (
  owner_id TEXT COLLATE "C" NOT NULL, -- the project, and in a row of its own the organization
  word TEXT COLLATE "C" NOT NULL,
  id TEXT COLLATE "C" NOT NULL REFERENCES stored_applications (id) ON DELETE CASCADE DEFERRABLE,
  PRIMARY KEY (owner_id, word, id)
);
CREATE INDEX application_words_by_word ON application_words (word, id);
CREATE INDEX application_words_by_id ON application_words (id, word);
