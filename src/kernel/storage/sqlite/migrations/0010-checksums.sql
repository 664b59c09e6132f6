-- A CRC-32 over all other columns of the row (`src/events/checksum.ts`), by which doctor sees what the disk has changed. It
-- protects from nobody who may write. Absent in rows that were written before.
ALTER TABLE events ADD COLUMN checksum INTEGER;
ALTER TABLE secrets ADD COLUMN checksum INTEGER;
