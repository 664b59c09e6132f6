-- Ways to log in besides the password. Policies from before there were any allow none.
ALTER TABLE login_policies ADD COLUMN allow_external_idps INTEGER NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN allow_passkeys INTEGER NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN allow_registration INTEGER NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN force_mfa_local_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN link_by_verified_email TEXT; -- ASK or NEVER; null = ASK
