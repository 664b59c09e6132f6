-- Who registered a second factor. When its user gains roles that they do not hold, the next login asks about it.
ALTER TABLE second_factors ADD COLUMN creator TEXT; -- who completed the registration; null = nobody yet
ALTER TABLE second_factors ADD COLUMN made_with_token_id TEXT; -- the token of that call; null = none, or a login
ALTER TABLE second_factors ADD COLUMN is_questioned INTEGER NOT NULL DEFAULT 0; -- 1 = the user has to keep or remove it
UPDATE second_factors SET
  creator = (SELECT e.editor FROM events e
    WHERE e.aggregate_type = 'user' AND e.aggregate_id = second_factors.user_id AND e.type = 'user.u2f.verified'
      AND json_extract(e.payload, '$.u2f_id') = second_factors.id),
  made_with_token_id = (SELECT json_extract(e.payload, '$.made_with_token_id') FROM events e
    WHERE e.aggregate_type = 'user' AND e.aggregate_id = second_factors.user_id AND e.type = 'user.u2f.verified'
      AND json_extract(e.payload, '$.u2f_id') = second_factors.id)
WHERE state = 'READY';
