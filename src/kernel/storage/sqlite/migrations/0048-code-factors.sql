-- The address in small letters, if the password was set by a code that went there: somebody who reads it needs no second one.
ALTER TABLE stored_users ADD COLUMN password_code_email TEXT;
