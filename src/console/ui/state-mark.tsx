import type { JSX } from "preact";
import { useTexts } from "../texts/use-texts.ts";
import { uiTexts } from "./texts.ts";

/** The states that most objects have, as every enum of states numbers them. */
export type ObjectState = "active" | "inactive" | "locked";

/** Reads a state from its number: 1 is active, 2 inactive and, of users, 4 locked. */
export function toObjectState(state: number): ObjectState {
  return state === 1 ? "active" : state === 4 ? "locked" : "inactive";
}

/** Shows the state of an object, by its word and by a mark. */
export function StateMark({ state }: { readonly state: number }): JSX.Element {
  const texts = useTexts(uiTexts);
  const name = toObjectState(state);
  return <span class={`state ${name}`}>{texts[name]}</span>;
}
