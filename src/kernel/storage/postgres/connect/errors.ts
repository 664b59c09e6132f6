import { DatabaseUnusableError } from "../../database-unusable.ts";

/** The servers will refuse this process until a person changes something: a password, a certificate, a setting. */
export class ServerRefusedError extends DatabaseUnusableError {}

/** None of the servers could be used within the time; the message gives the reason for each. */
export class NoPrimaryError extends DatabaseUnusableError {}

/** A server that cannot be used at the moment, such as a standby: another may be, or this one a little later. */
export class ServerUnfitError extends Error {}
