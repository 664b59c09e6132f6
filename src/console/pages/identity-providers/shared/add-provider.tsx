import type { JSX } from "preact";
import { useClient } from "../../../api/api.ts";
import { withKey } from "../../../api/call-options.ts";
import {
  CreateIdentityProviderRequestSchema,
  IdentityProviderService,
} from "../../../../../gen/console/gatehouse/v1/identity_provider_service_pb.ts";
import { useNavigation } from "../../../routing/navigation.tsx";
import type { PageProps } from "../../../routing/page-entry.ts";
import { useTexts } from "../../../texts/use-texts.ts";
import { FormView } from "../../../ui/form/form-view.tsx";
import { type Form, type FormValues, useForm } from "../../../ui/form/use-form.ts";
import { useNotify } from "../../../ui/notices.tsx";
import { PageFrame } from "../../../ui/page-frame.tsx";
import { uiTexts } from "../../../ui/texts.ts";
import { type ProviderKind, toProvider, toProviders } from "./provider.ts";
import { providerTexts } from "./texts.ts";

/** What the page needs to know of a kind of identity provider. */
interface AddedKind<Values extends FormValues> {
  readonly of: ProviderKind;
  readonly initial: Values;
  /** The field that a new provider cannot do without, though a change may leave it out; a function finds it by the others. */
  readonly needed: (keyof Values & string) | ((values: Values) => (keyof Values & string) | undefined);
  readonly secrets?: readonly (keyof Values & string)[];
  toRequest(
    values: Values,
  ): Parameters<ReturnType<typeof useClient<typeof IdentityProviderService>>["createIdentityProvider"]>[0];
  /** Says what to register at the provider. Undefined: nothing. */
  readonly address?: JSX.Element;
  fields(form: Form<Values>): JSX.Element;
}

/** Adds an identity provider of a kind, and goes to it. */
export function AddProvider<Values extends FormValues & { readonly name: string }>({
  params,
  kind,
}: PageProps<"organization"> & { readonly kind: AddedKind<Values> }): JSX.Element {
  const texts = useTexts(providerTexts);
  const { required } = useTexts(uiTexts).form;
  const { go } = useNavigation();
  const notify = useNotify();
  const client = useClient(IdentityProviderService);
  const list = toProviders(params.organization);
  const form = useForm<Values>({
    request: CreateIdentityProviderRequestSchema,
    ...kind,
    check(values): Record<string, string> {
      const needed = typeof kind.needed === "function" ? kind.needed(values) : kind.needed;
      return needed !== undefined && values[needed] === "" ? { [needed]: required } : {};
    },
    async submit(values, key) {
      const { idpId } = await client.createIdentityProvider(kind.toRequest(values), withKey(key));
      notify(texts.added(values.name));
      go(toProvider(params.organization, idpId), { replaces: true });
    },
  });
  return (
    <PageFrame
      title={texts.addKind(texts.kinds[kind.of])}
      lead={texts.kindHints[kind.of]}
      parent={{ to: list, title: texts.title }}
    >
      {kind.address}
      <FormView form={form} submitText={texts.add} onCancel={() => go(list)}>
        {kind.fields(form)}
      </FormView>
    </PageFrame>
  );
}
