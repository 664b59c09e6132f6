import { describe, test } from "@jest/globals";
import { isLeast } from "./size.ts";

const left = Object.assign(() => {}, { each: () => () => {} });

/** A case that `npm test` leaves to `.ci/run`: it takes half a second or more, and others in its file hold most of its rule. */
export const largeTest = isLeast ? (left as unknown as typeof test) : test;
/** Cases of that kind. */
export const largeDescribe = isLeast ? (left as unknown as typeof describe) : describe;
