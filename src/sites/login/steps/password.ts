import type { LoginStep } from "../step.ts";

/** Asks for name and password as long as no user has proved their identity. */
export const passwordStep: LoginStep = {
  page: "password",
  refusal: "login_required",
  isNeeded: async (_tx, { user }) => user === undefined,
};
