import type { ReadTransaction } from "../../kernel/base/database.ts";
import { findInstanceId } from "../../identity/instance/repository.ts";
import { listSamlKeys } from "../../identity/signing-keys/saml-key-repository.ts";
import { endingCertificates } from "../../identity/signing-keys/saml-key.ts";
import type { Finding } from "../../kernel/storage/finding.ts";

/** Looks for certificates of keys that sign SAML messages, or will, and that end soon: some service providers then refuse them. */
export async function checkCertificates(tx: ReadTransaction, nowMs: number): Promise<Finding> {
  const check = "SAML certificates";
  const instanceId = await findInstanceId(tx);
  const keys = instanceId === undefined ? [] : await listSamlKeys(tx, instanceId);
  const [first] = endingCertificates(keys, nowMs);
  if (first === undefined)
    return { state: "ok", check, detail: keys.length === 0 ? "none yet" : `${keys.length}, none ends soon` };
  const detail = `the certificate of the key ${first.keyId} ends at ${first.notAfterDate}; rotate the key in time`;
  return { state: "warning", check, detail };
}
