-- Keys that sign SAML messages. They stand apart from the keys that sign tokens, which no process may take them for.
CREATE TABLE saml_keys (
  id TEXT NOT NULL PRIMARY KEY,
  sequence INTEGER NOT NULL,
  creation_date INTEGER NOT NULL,
  resource_owner TEXT NOT NULL,
  state TEXT NOT NULL,
  certificate TEXT NOT NULL, -- self-signed X.509: base64 of the DER
  expiration_ms INTEGER -- until when a retired key is published, in milliseconds since 1970
) STRICT, WITHOUT ROWID;
CREATE INDEX saml_keys_by_instance ON saml_keys (resource_owner, creation_date, id);
