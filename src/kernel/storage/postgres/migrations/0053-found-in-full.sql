-- Email addresses, phones and ids find objects in full by their rows, in all organizations: the tables of words need not hold them. Rows
-- with an exclamation mark that an earlier version has put there are never read, and go with the next change of their object or with it.

DROP INDEX users_by_email;
CREATE INDEX users_by_email ON stored_users (lower(email), resource_owner, creation_date, id);
DROP INDEX users_by_phone;
CREATE INDEX users_by_phone ON stored_users (phone, resource_owner) WHERE phone IS NOT NULL;
CREATE INDEX groups_by_external_id ON stored_groups (external_id);
