-- Until when the metadata in force says that it is valid, in milliseconds since 1970; 0 when it does not say. Null without
-- metadata, and for what events of before hold: readers find it in the document then.
ALTER TABLE stored_applications ADD COLUMN metadata_valid_until INTEGER;

-- When a fetch last found the metadata in force, in microseconds since 1970. No event says so, since nothing has changed.
ALTER TABLE metadata_refreshes ADD COLUMN fetch_date INTEGER;
