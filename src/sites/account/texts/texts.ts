import type { PageTexts } from "../../login/texts/texts.ts";

/** What the pages of the account say, in one language. */
export type AccountTexts = PageTexts<"account">;

/** The places of the account, by the paths of their pages. */
export type PlaceName = keyof AccountTexts["places"];

/** What the page of personal data shows. */
export type ProfileField = keyof AccountTexts["profile"]["labels"];

/** What the next page says was done. */
export type DoneName = keyof AccountTexts["done"];

/** Reasons of problems that the user can do something about. */
export type FaultReason = keyof AccountTexts["faults"];
