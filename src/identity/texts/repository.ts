import type { ReadTransaction } from "../../kernel/base/database.ts";
import { type DetailsRow, detailsColumns, toDetails } from "../../kernel/base/details.ts";
import type { CustomTextsId } from "../../kernel/base/ids.ts";
import { isAmong } from "../../kernel/base/sql.ts";
import type { Projection } from "../../kernel/events/event.ts";
import type { CustomTextsPayload } from "../../kernel/events/text-payloads.ts";
import { findInstanceId } from "../instance/repository.ts";
import {
  findTextFault,
  isChangeableByOrganizations,
  listChangeable,
  type StoredCustomTexts,
  type TextsByKey,
} from "./custom-texts.ts";
import { findLanguage, type Language } from "./languages.ts";
import { replaceTexts } from "./languages/words.ts";

const columns = ["id", ...detailsColumns, "language", "texts"].join(", ");

/** How events fill the table of texts. */
export const customTextsProjection: Projection = {
  tables: ["custom_texts"],
  on: {
    "custom_texts.added": async (tx, { aggregateId, resourceOwner, date, payload }) => {
      await tx.run(
        "INSERT INTO custom_texts (id, sequence, creation_date, resource_owner, language, texts) VALUES (?, ?, ?, ?, ?, ?)",
        [aggregateId, date, date, resourceOwner, payload.language, JSON.stringify(payload.texts)],
      );
    },
    "custom_texts.changed": async (tx, { aggregateId, date, payload }) => {
      await tx.run("UPDATE custom_texts SET texts = ?, sequence = ? WHERE id = ?", [
        JSON.stringify(payload.texts),
        date,
        aggregateId,
      ]);
    },
    "custom_texts.removed": async (tx, { aggregateId }) => {
      await tx.run("DELETE FROM custom_texts WHERE id = ?", [aggregateId]);
    },
  },
  owned: [{ ids: "SELECT id FROM custom_texts WHERE resource_owner = ?", removal: "custom_texts.removed" }],
  takenAlong: {
    "organization.removed": [
      { type: "custom_texts", rows: ["SELECT 1 FROM custom_texts WHERE resource_owner = :id"] },
    ],
  },
};

/** Finds the texts of that organization, or of the instance, in a language. */
export async function findCustomTexts(
  tx: ReadTransaction,
  resourceOwner: string,
  language: string,
): Promise<StoredCustomTexts | undefined> {
  const row = await tx.get<CustomTextsRow>(
    `SELECT ${columns} FROM custom_texts WHERE resource_owner = ? AND language = ?`,
    [resourceOwner, language],
  );
  return row && toStored(row);
}

/** Reads the languages in which the instance has texts of its own, by their tags. */
export async function readInstanceLanguages(tx: ReadTransaction): Promise<ReadonlyMap<string, Language>> {
  const instanceId = await findInstanceId(tx);
  if (instanceId === undefined) return new Map();
  const rows = await tx.all<CustomTextsRow>(`SELECT ${columns} FROM custom_texts WHERE resource_owner = ?`, [
    instanceId,
  ]);
  const spoken = rows.map(toStored).flatMap(({ language, texts }) => {
    const standard = findLanguage(language);
    return standard === undefined ? [] : [speak(standard, texts)];
  });
  return new Map(spoken.map((language) => [language.tag, language]));
}

/** Lists at most `limit` organizations that have texts of their own; the instance may be among them. */
export async function listTextOwners(tx: ReadTransaction, limit: number): Promise<readonly string[]> {
  const rows = await tx.all<{ resource_owner: string }>(
    "SELECT DISTINCT resource_owner FROM custom_texts LIMIT ?",
    [limit],
  );
  return rows.map(({ resource_owner }) => resource_owner);
}

/** Reads what an organization says in a language; undefined: what the instance says. */
export async function readLanguage(
  tx: ReadTransaction,
  standard: Language,
  organizationId: string | undefined,
): Promise<Language> {
  const instanceId = await findInstanceId(tx);
  const owners = isAmong(
    "resource_owner",
    [instanceId, organizationId].filter((id) => id !== undefined),
  );
  const rows = await tx.all<CustomTextsRow>(
    `SELECT ${columns} FROM custom_texts WHERE ${owners.sql} AND language = ?`,
    [...owners.parameters, standard.tag],
  );
  if (rows.length === 0) return standard;
  const findOf = (owner: string | undefined) =>
    rows.map(toStored).find(({ details }) => details.resourceOwner === owner);
  const [ofInstance, own] = [findOf(instanceId), findOf(organizationId)];
  const ownTexts = own ? [...own.texts].filter(([key]) => isChangeableByOrganizations(key)) : [];
  return speak(standard, new Map([...(ofInstance ? ofInstance.texts : []), ...ownTexts]));
}

/** Reads the texts of that language as the user's organization says them. */
export async function readLanguageOf(
  tx: ReadTransaction,
  standard: Language,
  user: { readonly details: { readonly resourceOwner: string } },
): Promise<Language> {
  return await readLanguage(tx, standard, user.details.resourceOwner);
}

function speak(standard: Language, texts: TextsByKey): Language {
  return { ...standard, words: replaceTexts(standard.words, keepFitting(standard, texts)) };
}

/** A later release may have other placeholders, or no such text any more. */
function keepFitting(standard: Language, texts: TextsByKey): TextsByKey {
  const defaults = new Map(listChangeable(standard));
  return new Map(
    [...texts].filter(([key, text]) => {
      const own = defaults.get(key);
      return own !== undefined && findTextFault(text, own) === undefined;
    }),
  );
}

function toStored(row: CustomTextsRow): StoredCustomTexts {
  const texts = JSON.parse(row.texts) as CustomTextsPayload["texts"]; // written by the appliers
  const byKey = new Map(texts.map(({ key, text }) => [key, text]));
  return { id: row.id, language: row.language, texts: byKey, details: toDetails(row) };
}

interface CustomTextsRow extends DetailsRow {
  readonly id: CustomTextsId;
  readonly language: string;
  readonly texts: string;
}
