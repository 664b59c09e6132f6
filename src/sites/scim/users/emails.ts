import { elementsOf, isMembers, type Json, type ScimResource, plainTextOf } from "../schemas/resource.ts";

/** Finds the address that the account has: the primary one, else the one for work, else the first. */
export function accountEmailOf(resource: ScimResource): string | undefined {
  const elements = elementsOf(resource["emails"]).filter(isMembers);
  const chosen =
    elements.find((each) => each["primary"] === true) ??
    elements.find((each) => each["type"] === "work") ??
    elements[0];
  return plainTextOf(chosen?.["value"]);
}

/** A single address without more is the primary one for work. */
export function settleEmails(resource: ScimResource): ScimResource {
  const [only, ...others] = elementsOf(resource["emails"]);
  if (others.length > 0 || !isMembers(only)) return resource;
  return { ...resource, emails: [{ value: only["value"] ?? "", type: "work", primary: true, ...only }] };
}

/** Says whether a list of addresses says no more than the account does. */
export function isPlainEmail(emails: Json | undefined): boolean {
  const [only, ...others] = elementsOf(emails);
  return others.length === 0 && isMembers(only) && only["type"] === "work" && only["primary"] === true;
}

/** Shows the addresses that are kept, or that of the account, which may have changed since. */
export function showEmails(keptEmails: Json | undefined, email: string): Json[] {
  const listed = elementsOf(keptEmails).filter(isMembers);
  if (listed.some((each) => each["value"] === email)) return [...listed];
  const account = { value: email, type: "work", primary: true };
  return email === "" ? [] : [account, ...listed.filter((each) => each["primary"] !== true)];
}
