-- Answers to changes that were made with an idempotency key, for those who ask again. Not made from the log.
CREATE TABLE idempotent_answers (
  id BLOB PRIMARY KEY, -- SHA-256 of the caller, the method and the idempotency key
  request_key_id TEXT NOT NULL, -- id of the key of the keyed hash
  request_mac BLOB NOT NULL, -- keyed hash of the request and its conditions
  is_problem INTEGER NOT NULL,
  answer BLOB NOT NULL, -- the message in protobuf without its secrets, or the problem in JSON
  expiration_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotent_answers_by_expiration ON idempotent_answers (expiration_ms);
