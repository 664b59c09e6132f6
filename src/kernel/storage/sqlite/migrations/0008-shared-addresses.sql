-- A command of many events comes from one address. It is kept, encrypted, in the first of them only.
ALTER TABLE events ADD COLUMN remote_address_of INTEGER REFERENCES events (sequence); -- the event that holds it
