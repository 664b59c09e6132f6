/**
 * What is read of a request, with the most characters that each may have: nobody needs longer ones, and they are stored for as long
 * as the login takes. ID tokens that we have signed fit, and so do the scopes of many projects.
 */
export const maxLengths: Readonly<Record<string, number>> = {
  client_id: 2048,
  redirect_uri: 8192,
  response_type: 2048,
  response_mode: 2048,
  scope: 8192,
  state: 8192,
  nonce: 2048,
  code_challenge: 2048,
  code_challenge_method: 2048,
  dpop_jkt: 2048,
  prompt: 2048,
  max_age: 2048,
  login_hint: 2048,
  ui_locales: 2048,
  acr_values: 2048,
  claims: 8192,
  id_token_hint: 8192,
};

/** Says whether anything reads a parameter of that name in a request that may be answered. */
export function isReadParameter(name: string): boolean {
  return Object.hasOwn(maxLengths, name);
}
