import { accountPath } from "../login/standalone/account-path.ts";

/** Where a browser goes whose login for these pages has not come about. */
export const refusedPath = `${accountPath}/refused`;

/** Where a browser comes to that had to tell applications of the end of its session first. */
export const signedOutPath = `${accountPath}/signed-out`;
