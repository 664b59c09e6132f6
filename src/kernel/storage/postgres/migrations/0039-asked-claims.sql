-- What the application asked for beside the scopes, claim by claim, as JSON; null: nothing.
ALTER TABLE authorizations ADD COLUMN claims TEXT;
