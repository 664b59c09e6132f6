-- Ways to log in besides the password. Policies from before there were any allow none.
ALTER TABLE login_policies ADD COLUMN allow_external_idps BIGINT NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN allow_passkeys BIGINT NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN allow_registration BIGINT NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN force_mfa_local_only BIGINT NOT NULL DEFAULT 0;
ALTER TABLE login_policies ADD COLUMN link_by_verified_email TEXT COLLATE "C"; -- ASK or NEVER; null = ASK
