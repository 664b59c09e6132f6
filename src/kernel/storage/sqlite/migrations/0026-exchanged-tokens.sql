-- Access tokens that came of an exchange (RFC 8693).
ALTER TABLE access_tokens ADD COLUMN act TEXT; -- JSON: who acts for the user
ALTER TABLE access_tokens ADD COLUMN exchanges TEXT; -- JSON array: what was exchanged, and by which client; null = nothing
CREATE INDEX access_tokens_by_exchanging_client ON access_tokens (client_id) WHERE exchanges IS NOT NULL;
