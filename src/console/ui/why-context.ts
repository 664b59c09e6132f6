import { type ComponentType, createContext } from "preact";
import type { CallProblem } from "../api/call-problem.ts";

/** What says why the user of the console lacks a permission; the app provides it. Where there is none, nothing is said. */
export const WhyContext = createContext<ComponentType<{ readonly problem: CallProblem }> | undefined>(
  undefined,
);
