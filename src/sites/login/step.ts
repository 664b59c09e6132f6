import type { ReadTransaction } from "../../kernel/base/database.ts";
import type { LoginRefusal } from "./login-protocol.ts";
import type { LoginState } from "./login-state.ts";

/** Something that a login may need before it is complete. The table of steps has them in their order. */
export interface LoginStep {
  /** The name of the page that asks for it. */
  readonly page: string;
  /** What the application is answered where the step is needed and no page may be shown (`prompt=none`). */
  readonly refusal: LoginRefusal;
  /** Says whether it is needed now. */
  isNeeded(tx: ReadTransaction, state: LoginState): Promise<boolean>;
}
