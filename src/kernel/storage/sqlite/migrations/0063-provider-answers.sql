-- What a provider has made a browser post, until the browser brings its handle: one minute.
ALTER TABLE provider_visits ADD COLUMN answer_hash TEXT; -- SHA-256 (base64url) of the handle
ALTER TABLE provider_visits ADD COLUMN answer_key_id TEXT; -- the master key that the answer is encrypted with
ALTER TABLE provider_visits ADD COLUMN answer BLOB;
ALTER TABLE provider_visits ADD COLUMN answer_expiration_ms INTEGER;
CREATE UNIQUE INDEX provider_visits_by_answer ON provider_visits (answer_hash);
