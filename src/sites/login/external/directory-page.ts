import type { IdentityProvider } from "../../../identity/providers/identity-provider.ts";
import type { Reply } from "../../../kernel/http/exchanges/reply.ts";
import { findOfferedProvider } from "./offered-providers.ts";
import { takeIdentity } from "./take-identity.ts";
import { formTokenField } from "../form-token.ts";
import type { LoginPage, LoginVisit } from "../login-page.ts";
import { html } from "../markup/html.ts";
import type { PageForm } from "../page-form.ts";
import { PageRefusal } from "../page-refusal.ts";

/**
 * Asks for name and password of a directory, which the page names. They go to the directory and are tried nowhere else, as those of
 * the page of passwords never go to a directory. Whatever is wrong, the page is the same.
 */
export const directoryPage: LoginPage = {
  name: "directory",
  insteadOf: "password",
  async show(visit) {
    const [id, ...more] = new URLSearchParams(visit.exchange.query).getAll("provider");
    if (more.length > 0) throw new PageRefusal("bad-request");
    const provider = await findDirectory(visit, id);
    return render(visit, provider, { name: visit.state.interaction.request.loginHint ?? "" });
  },
  async submit(visit, form) {
    const { ports, texts } = visit;
    const provider = await findDirectory(visit, form.get("provider"));
    const typed = readTyped(form);
    const tried = await ports.providers.tryDirectory(visit, provider, typed);
    const { name } = typed;
    switch (tried.kind) {
      case "wrong":
        return { kind: "page", reply: render(visit, provider, { name, problem: texts.password.wrong }) };
      case "paused":
        return { kind: "page", reply: renderPaused(visit, provider, { name, ...tried }) };
      case "right":
        return {
          kind: "go-on",
          async change(tx, state, hooks) {
            await tried.settle(tx);
            return await takeIdentity(ports.context, tried.identity)(tx, state, hooks);
          },
        };
    }
  },
};

function readTyped(form: PageForm) {
  return { name: form.get("username") ?? "", password: form.get("password") ?? "" };
}

async function findDirectory({ ports, state }: LoginVisit, id = ""): Promise<IdentityProvider> {
  const provider = await ports.context.database.read((tx) => findOfferedProvider(tx, state, id));
  if (provider?.config.kind !== "ldap") throw new PageRefusal("provider-off");
  return provider;
}

function renderPaused(
  visit: LoginVisit,
  provider: IdentityProvider,
  { name, retryAfterMs }: { readonly name: string; readonly retryAfterMs: number },
): Reply {
  const headers = { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1000))) };
  return render(visit, provider, { name, problem: visit.texts.password.paused, status: 429, headers });
}

interface Shown {
  readonly name: string;
  readonly problem?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

function render(
  visit: LoginVisit,
  { id, name: directory }: IdentityProvider,
  { name, problem, status = 200, headers = {} }: Shown,
): Reply {
  const { texts, state, cookie } = visit;
  const words = texts.directory;
  const focus = html` autofocus`;
  const faulty = problem === undefined ? undefined : html` aria-invalid="true" aria-describedby="problem"`;
  const body = html`<p class="lead">${words.lead({ directory })}</p>
${problem !== undefined && html`<p class="alert" id="problem" role="alert">${problem}</p>`}
<form method="post" action="/login/${state.interaction.id}/directory">
${formTokenField(cookie)}
<input type="hidden" name="provider" value="${id}">
<div class="field">
<label for="username">${words.name}</label>
<input id="username" name="username" type="text" value="${name}" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="200" required${faulty}${name === "" && focus}>
</div>
<div class="field">
<label for="password">${words.password({ directory })}</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${faulty}${name !== "" && focus}>
</div>
<button type="submit">${texts.password.submit}</button>
</form>
<div class="links"><p><a href="/login/${state.interaction.id}/another-way">${texts.otherWay}</a></p></div>`;
  return visit.render({ title: words.title({ directory }), body, status, headers });
}
