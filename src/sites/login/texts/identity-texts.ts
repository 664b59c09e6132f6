import type { Markup } from "../markup/html.ts";

/** What the page says to those whose identity at a provider is linked to nobody. */
export interface NewIdentityTexts {
  readonly title: string;
  readonly lead: (names: IdentityNames) => Markup;
  /** Where nothing is offered. */
  readonly noneTitle: string;
  readonly none: (names: IdentityNames) => Markup;
  readonly link: string;
  readonly linkTitle: string;
  readonly linkHint: string;
  /** Where nothing says that there is an account, and none is made. */
  readonly linkUnknown: string;
  /** Beside a new account. */
  readonly linkInstead: string;
  readonly create: string;
  readonly missing: string;
  readonly taken: string;
  readonly another: string;
}

/** What the page says that asks whether to link an identity, and the login before it. */
export interface LinkIdentityTexts {
  readonly title: (provider: string) => Markup;
  readonly lead: (names: IdentityNames & { readonly username: string }) => Markup;
  readonly notTheirs: (names: IdentityNames & { readonly username: string }) => Markup;
  readonly full: (names: IdentityNames & { readonly username: string }) => Markup;
  readonly link: string;
  readonly skip: string;
  /** Leads from the login back to all ways to log in. */
  readonly without: string;
}

/** An identity at a provider, as people call both. The identity is empty where the provider does not say. */
export interface IdentityNames {
  readonly provider: string;
  readonly identity: string;
}
