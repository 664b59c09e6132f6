import { application } from "./program.mjs";

/** Imports the private keys that the application has. */
export async function importKeys() {
  const { ES256, RS256 } = JSON.parse(application.clientSecret);
  const ec = { name: "ECDSA", namedCurve: "P-256" };
  const rsa = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  return {
    es256: { kid: ES256.kid, key: await crypto.subtle.importKey("jwk", ES256, ec, false, ["sign"]) },
    rs256: { kid: RS256.kid, key: await crypto.subtle.importKey("jwk", RS256, rsa, false, ["sign"]) },
  };
}

/** Makes what says whether a step is refused with that error: the id of the user then, as after a step that is not. */
export const refusing = (subject) => async (error, step) => {
  try {
    await step();
  } catch (refusal) {
    const code = refusal.error ?? (await readError(refusal)) ?? refusal.message;
    return code === error ? subject : `failed: refused with ${code}`;
  }
  return "failed: it was not refused";
};

/** Reads a 401 with a challenge, which is an error of its own to these libraries: the code is in the challenge or in the answer. */
async function readError({ cause, response }) {
  const [challenge] = Array.isArray(cause) ? cause : [];
  return challenge?.parameters.error ?? (await response?.json())?.error;
}

/** Sends a request for a login as the browser would, and raises the error that comes back. */
export async function openUnpushed(metadata, parameters) {
  const url = new URL(metadata.authorization_endpoint);
  url.search = new URLSearchParams({ client_id: application.clientId, response_type: "code", ...parameters });
  const answer = await fetch(url, { redirect: "manual" });
  const error = new URL(answer.headers.get("location") ?? "about:blank").searchParams.get("error");
  if (error !== null) throw Object.assign(new Error(error), { error });
}
