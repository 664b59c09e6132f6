import type { FieldViolation } from "../base/problem.ts";

const leastCredentialLength = 55;
const mostCredentialLength = 1_048_576;

/**
 * Returns a violation for a credential that is too short or too long, in code points of its compact JSON text. The
 * rule of the field reports an absent one.
 */
export function checkCredentialSize(credential: object | undefined): readonly FieldViolation[] {
  if (credential === undefined) return [];
  const text = JSON.stringify(credential);
  const length = text.length > 2 * mostCredentialLength ? text.length : countCodePoints(text);
  if (length >= leastCredentialLength && length <= mostCredentialLength) return [];
  const bounds = `${leastCredentialLength} to ${mostCredentialLength} characters`;
  return [{ field: "public_key_credential", description: `must have ${bounds} as compact JSON` }];
}

function countCodePoints(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count--;
  return count;
}
