import type { JSX } from "preact";
import type { Translations } from "../texts/language.ts";
import type { ParamsOf } from "./routes.ts";

/** Props of a page: the values of the variables in its pattern. */
export interface PageProps<Param extends string = string> {
  readonly params: Readonly<Record<Param, string>>;
}

/** The component of a page. */
export type Page<Props> = (props: Props) => JSX.Element;

/** Where a page is offered in the navigation at the side. */
export type Menu = "instance" | "organization";

/** The kinds of object whose pages have tabs; users have tabs of their own by kind. */
export type Tabs = "organization" | "project" | "granted-project" | "group" | "user" | "human" | "service";

/** A page, before its code is loaded. */
export interface PageEntry {
  /** The path below `/console`. A variable `:organization` is the organization that the calls of the page are about. */
  readonly pattern: string;
  readonly title: Translations<string>;
  /** What a user must be able to do, somewhere in the organization, for the page to be offered. */
  readonly permission?: string | undefined;
  readonly menu?: Menu | undefined;
  /** Of a page of the instance: whether it shows what there is in any organization, so that its permission in one of them is enough. */
  readonly spansOrganizations?: boolean;
  readonly tab?: Tabs | undefined;
  /** Loads the code of the page. */
  load(): Promise<Page<never>>;
}

/** Declares a page. The compiler compares the variables of the pattern with the props of the page. */
export function definePage<const Pattern extends string>(
  entry: Omit<PageEntry, "pattern" | "load"> & {
    readonly pattern: Pattern;
    load(): Promise<Page<PageProps<ParamsOf<Pattern>>>>;
  },
): PageEntry {
  return entry;
}
