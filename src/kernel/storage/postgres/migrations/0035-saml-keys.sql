-- Keys that sign SAML messages. They stand apart from the keys that sign tokens, which no process may take them for.
CREATE TABLE saml_keys (
  id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  sequence BIGINT NOT NULL,
  creation_date BIGINT NOT NULL,
  resource_owner TEXT COLLATE "C" NOT NULL,
  state TEXT COLLATE "C" NOT NULL,
  certificate TEXT COLLATE "C" NOT NULL, -- self-signed X.509: base64 of the DER
  expiration_ms BIGINT -- until when a retired key is published, in milliseconds since 1970
);
CREATE INDEX saml_keys_by_instance ON saml_keys (resource_owner, creation_date, id);
