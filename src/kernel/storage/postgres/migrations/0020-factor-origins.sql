-- Who registered a second factor. When its user gains roles that they do not hold, the next login asks about it.
ALTER TABLE second_factors ADD COLUMN creator TEXT COLLATE "C"; -- who completed the registration; null = nobody yet
ALTER TABLE second_factors ADD COLUMN made_with_token_id TEXT COLLATE "C"; -- the token of that call; null = none, or a login
ALTER TABLE second_factors ADD COLUMN is_questioned BIGINT NOT NULL DEFAULT 0; -- 1 = the user has to keep or remove it
UPDATE second_factors SET
  creator = (SELECT e.editor FROM events e
    WHERE e.aggregate_type = 'user' AND e.aggregate_id = second_factors.user_id AND e.type = 'user.u2f.verified'
      AND e.payload::json->>'u2f_id' = second_factors.id),
  made_with_token_id = (SELECT e.payload::json->>'made_with_token_id' FROM events e
    WHERE e.aggregate_type = 'user' AND e.aggregate_id = second_factors.user_id AND e.type = 'user.u2f.verified'
      AND e.payload::json->>'u2f_id' = second_factors.id)
WHERE state = 'READY';
