-- The key that something is bound to, as its thumbprint (RFC 9449 §6); null: to none. Whoever presents it must prove to hold the key.
ALTER TABLE access_tokens ADD COLUMN jkt TEXT;
ALTER TABLE authorization_codes ADD COLUMN jkt TEXT;
ALTER TABLE refresh_tokens ADD COLUMN jkt TEXT; -- only if the application does not authenticate
