import type { FeatureContext } from "../../../identity/context.ts";
import type { Language } from "../../../identity/texts/languages.ts";
import { readLanguage } from "../../../identity/texts/repository.ts";
import { type Texts, toTexts } from "./texts.ts";

/** Reads the texts of the pages as an organization says them; without one, as the instance does. */
export async function readTexts(
  { database }: Pick<FeatureContext, "database">,
  language: Language,
  organizationId?: string,
): Promise<Texts> {
  return toTexts(await database.read((tx) => readLanguage(tx, language, organizationId)));
}
