import type { Call } from "../../kernel/base/call.ts";
import { changedDetails, createdDetails, type Details } from "../../kernel/base/details.ts";
import type { CustomTextsId, InstanceId } from "../../kernel/base/ids.ts";
import { type FeatureContext, requireTarget, write } from "../context.ts";
import { remove, type Removal } from "../removal.ts";
import {
  addCustomTexts,
  type ChangedText,
  changeCustomTexts,
  customTextsNotFound,
  isChangeableByOrganizations,
  listChangeable,
  removeCustomTexts,
} from "./custom-texts.ts";
import { findLanguage, languages } from "./languages.ts";
import { findCustomTexts, readLanguage } from "./repository.ts";

/** The use cases of texts. All act on the organization of the call, or on the instance. */
export interface CustomTextsCommands {
  get(call: Call, of: TextsOwner, language: string): Promise<CustomTexts>;
  /** Replaces all. Raises NOT_FOUND with `if-match` where there are none. Harmless to repeat. */
  set(call: Call, of: TextsOwner, asked: AskedTexts): Promise<Details>;
  /** Removes all of the organization. Raises NOT_FOUND. */
  reset(call: Call, language: string): Promise<Removal>;
}

/** Whose texts a call is about. */
export type TextsOwner = "organization" | "instance";

/** What shall be said in a language. */
export interface AskedTexts {
  readonly language: string;
  readonly texts: readonly ChangedText[];
}

/** The texts that can be changed in a language. */
export interface CustomTexts {
  /** Undefined: none is changed. */
  readonly details: Details | undefined;
  readonly language: string;
  readonly texts: readonly {
    readonly key: string;
    readonly defaultText: string;
    /** Empty: the default holds. */
    readonly text: string;
    readonly isChangeableByOrganizations: boolean;
  }[];
}

/** Creates the commands of texts. */
export function createCustomTextsCommands(
  context: FeatureContext,
  instanceId: InstanceId,
): CustomTextsCommands {
  const ownerOf = (call: Call, of: TextsOwner): string =>
    of === "instance" ? instanceId : call.access.organizationId;
  return {
    get: (call, of, tag) =>
      context.database.read(async (tx) => {
        const product = findLanguage(tag) ?? languages[0]; // the check of the fields lets no other pass
        const standard = of === "instance" ? product : await readLanguage(tx, product, undefined);
        const own = await findCustomTexts(tx, ownerOf(call, of), tag);
        const texts = listChangeable(standard).map(([key, defaultText]) => ({
          key,
          defaultText,
          text: own?.texts.get(key) ?? "",
          isChangeableByOrganizations: isChangeableByOrganizations(key),
        }));
        return { details: own?.details, language: tag, texts };
      }),
    set: (begun, of, { language, texts }) =>
      write(context, begun, async ({ tx, call, append }) => {
        const owner = ownerOf(call, of);
        const stored = await findCustomTexts(tx, owner, language);
        if (stored === undefined) {
          if (call.requireMatch !== undefined) throw customTextsNotFound(owner, language);
          const id = tx.nextId<CustomTextsId>();
          const added = addCustomTexts({ id, resourceOwner: owner, language, texts });
          return createdDetails(await append([added]), owner);
        }
        const events = changeCustomTexts(requireTarget(call, stored), texts);
        if (events.length === 0) return stored.details;
        return changedDetails(stored.details, await append(events));
      }),
    reset: (begun, language) =>
      remove(context, begun, {
        async load({ tx, call }) {
          const owner = call.access.organizationId;
          const stored = await findCustomTexts(tx, owner, language);
          if (stored === undefined) throw customTextsNotFound(owner, language);
          return stored;
        },
        decide: (stored) => [removeCustomTexts(stored)],
      }),
  };
}
