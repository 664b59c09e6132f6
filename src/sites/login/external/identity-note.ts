import { type Interaction, startOver } from "../interaction.ts";
import type { ExternalIdentity } from "../../../identity/people/identity-links/external-identity.ts";

/** What an interaction remembers of the identity with which somebody came back from an identity provider. */
export interface IdentityNote {
  readonly identity: ExternalIdentity;
  /**
   * `ask`: it is linked to nobody, and they are to say what they want. `link`: they want to link it to the account that they log in
   * to. `proved`: it is linked to the user, and the user has logged in with it.
   */
  readonly use: "ask" | "link" | "proved";
}

const name = "identity";

/** Remembers an identity, instead of the one before. */
export function noteIdentity(interaction: Interaction, note: IdentityNote): Interaction {
  return { ...interaction, notes: { ...interaction.notes, [name]: note } };
}

/** Finds the identity that an interaction remembers for that use. */
export function findIdentity(
  { notes }: Pick<Interaction, "notes">,
  use: IdentityNote["use"],
): ExternalIdentity | undefined {
  const note = notes[name] as IdentityNote | undefined; // written above
  return note?.use === use ? note.identity : undefined;
}

/** Forgets the identity, and also the user if they have logged in with it. */
export function dropIdentity(interaction: Interaction): Interaction {
  return findIdentity(interaction, "proved") === undefined
    ? forgetIdentity(interaction)
    : startOver(interaction);
}

/** Forgets the identity. */
export function forgetIdentity(interaction: Interaction): Interaction {
  const { [name]: _forgotten, ...notes } = interaction.notes;
  return { ...interaction, notes };
}
