-- Hashes of passwords that take longer to compare than ours, by what they cost. A wrong password takes as long as the dearest of them, so
-- that its time does not tell what is stored. Not made from the log, as the hashes are not.
CREATE TABLE imported_hashes (
  user_id TEXT NOT NULL PRIMARY KEY,
  kind TEXT NOT NULL, -- argon2 or bcrypt
  work INTEGER NOT NULL, -- comparable within the kind: KiB times passes, or 2 to the power of the cost
  header TEXT NOT NULL -- the text of the hash before its salt
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_hashes_by_work ON imported_hashes (kind, work, header);

INSERT INTO imported_hashes (user_id, kind, work, header)
SELECT substr(id, length('password:') + 1), 'bcrypt', 1 << CAST(substr(hash, 5, 2) AS INTEGER), substr(hash, 1, 7)
FROM (SELECT id, CAST(value AS TEXT) AS hash FROM secrets WHERE id >= 'password:' AND id < 'password:~') AS stored
WHERE hash LIKE '$2_$__$%';

INSERT INTO imported_hashes (user_id, kind, work, header)
SELECT user_id, 'argon2', memory * passes, substr(hash, 1, lanes_at + instr(substr(hash, lanes_at + 1), '$'))
FROM (
  SELECT substr(id, length('password:') + 1) AS user_id, hash, instr(hash, ',p=') AS lanes_at,
    CAST(substr(hash, instr(hash, '$m=') + 3) AS INTEGER) AS memory,
    CAST(substr(hash, instr(hash, ',t=') + 3) AS INTEGER) AS passes
  FROM (SELECT id, CAST(value AS TEXT) AS hash FROM secrets WHERE id >= 'password:' AND id < 'password:~') AS stored
  WHERE hash LIKE '$argon2%'
) AS read
WHERE memory * passes > 38912; -- ours
