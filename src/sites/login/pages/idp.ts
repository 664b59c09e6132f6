import { findOfferedProvider } from "../external/offered-providers.ts";
import { redirectTo } from "../layout.ts";
import type { LoginPage } from "../login-page.ts";
import { PageRefusal } from "../page-refusal.ts";

/** Sends the browser to an identity provider. Its buttons stand on the page of the password. */
export const idpPage: LoginPage = {
  name: "idp",
  insteadOf: "password",
  show: async ({ issuer, state }) => redirectTo(`${issuer}/login/${state.interaction.id}`),
  async submit(visit, form) {
    const { ports, state } = visit;
    const id = form.get("provider") ?? "";
    const provider = await ports.context.database.read((tx) => findOfferedProvider(tx, state, id));
    if (provider === undefined) throw new PageRefusal("provider-off");
    return { kind: "page", reply: await ports.providers.begin(visit, provider) };
  },
};
