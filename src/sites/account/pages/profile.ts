import { html, isolate } from "../../login/markup/html.ts";
import type { AccountPage, AccountVisit } from "../account-page.ts";
import type { ProfileField } from "../texts/texts.ts";

/** Shows the stored data of the user, which cannot be changed here: that takes the permission `user.write`. */
export const profilePage: AccountPage = {
  name: "profile",
  async show({ texts, words, user, render }) {
    const { lead, labels } = words.profile;
    const values = toValues({ texts, words, user });
    const rows = Object.entries(labels).map(([field, label]) => {
      const value = values[field as ProfileField]; // a key of the record
      return html`<dt>${label}</dt><dd>${value === "" ? words.unknown : isolate(value)}</dd>\n`;
    });
    const body = html`<p class="lead">${lead}</p>\n<dl>${rows}</dl>`;
    return render({ title: words.places.profile.title, body });
  },
};

function toValues({
  texts,
  words,
  user: { user, organization },
}: Pick<AccountVisit, "texts" | "words" | "user">): Readonly<Record<ProfileField, string>> {
  const state = user.isEmailVerified ? words.verified : words.unverified;
  return {
    username: user.username,
    displayName: user.displayName,
    name: [user.givenName, user.familyName].filter((name) => name !== "").join(" "),
    email: user.email === "" ? "" : `${user.email} (${state})`,
    language: nameOfLanguage(user.preferredLanguage, texts.language),
    organization: organization.name,
  };
}

function nameOfLanguage(tag: string, inLanguage: string): string {
  return tag === "" ? "" : (new Intl.DisplayNames(inLanguage, { type: "language" }).of(tag) ?? tag);
}
