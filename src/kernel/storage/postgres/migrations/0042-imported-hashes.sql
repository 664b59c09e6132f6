-- Hashes of passwords that take longer to compare than ours, by what they cost. A wrong password takes as long as the dearest of them, so
-- that its time does not tell what is stored. Not made from the log, as the hashes are not.
CREATE TABLE imported_hashes (
  user_id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
  kind TEXT COLLATE "C" NOT NULL, -- argon2 or bcrypt
  work BIGINT NOT NULL, -- comparable within the kind: KiB times passes, or 2 to the power of the cost
  header TEXT COLLATE "C" NOT NULL -- the text of the hash before its salt
);
CREATE INDEX imported_hashes_by_work ON imported_hashes (kind, work, header);

INSERT INTO imported_hashes (user_id, kind, work, header)
SELECT substr(id, length('password:') + 1), 'bcrypt', 1::bigint << substr(hash, 5, 2)::int, substr(hash, 1, 7)
FROM (
  SELECT id, convert_from(value, 'UTF8') AS hash FROM secrets WHERE id >= 'password:' AND id < 'password:~'
) AS stored
WHERE hash ~ '^\$2[aby]\$\d\d\$';

INSERT INTO imported_hashes (user_id, kind, work, header)
SELECT user_id, 'argon2', work, header
FROM (
  SELECT substr(id, length('password:') + 1) AS user_id,
    substring(hash FROM '\$m=(\d+)')::bigint * substring(hash FROM ',t=(\d+)')::bigint AS work,
    substring(hash FROM '^\$argon2id*\$v=\d+\$m=\d+,t=\d+,p=\d+\$') AS header
  FROM (
    SELECT id, convert_from(value, 'UTF8') AS hash FROM secrets WHERE id >= 'password:' AND id < 'password:~'
  ) AS stored
  WHERE hash ~ '^\$argon2id*\$'
) AS read
WHERE work > 38912; -- ours
