-- Who answers for the e-mail of a user: who set it. Codes that go to it give access to the account.
ALTER TABLE stored_users ADD COLUMN email_creator TEXT; -- null = nobody, or it was set by an update of an earlier version
UPDATE stored_users SET email_creator = (
  SELECT e.editor FROM events e WHERE e.aggregate_type = 'user' AND e.aggregate_id = stored_users.id
    AND e.type IN ('user.added', 'user.email.set')
  ORDER BY e.sequence DESC LIMIT 1
) WHERE kind = 'human';
