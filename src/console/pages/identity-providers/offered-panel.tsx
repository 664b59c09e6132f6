import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useCan, useClient } from "../../api/api.ts";
import { withKey } from "../../api/call-options.ts";
import { useQuery } from "../../api/use-query.ts";
import { IdentityProviderState } from "../../../../gen/console/gatehouse/v1/identity_provider_pb.ts";
import { LoginPolicyService } from "../../../../gen/console/gatehouse/v1/login_policy_service_pb.ts";
import { Link } from "../../routing/navigation.tsx";
import { toPath } from "../../routing/routes.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { ActionButton } from "../../ui/action-button.tsx";
import { QueryView } from "../../ui/query-view.tsx";
import { providerTexts } from "./shared/texts.ts";
import type { ProviderViewProps } from "./shared/view-props.ts";

/** More than a policy can list. */
const pageSize = 1000;

/** Says whether the login policy of the organization lets logins offer an identity provider; users who may change that can. */
export function OfferedPanel({ organization, provider }: ProviderViewProps): JSX.Element {
  const texts = useTexts(providerTexts);
  const can = useCan();
  const client = useClient(LoginPolicyService);
  const key = useRef(crypto.randomUUID());
  const { id, name, state } = provider;
  const query = useQuery(async (): Promise<Offer> => {
    const [{ policy }, { idps }] = await Promise.all([
      client.getLoginPolicy({}),
      client.listLoginPolicyIdps({ pageSize }),
    ]);
    if (policy?.allowExternalIdps !== true) return "forbidden";
    return policy.isDefault || idps.some(({ idpId }) => idpId === id) ? "offered" : "unlisted";
  }, [client, id, state]);
  const isActive = state === IdentityProviderState.ACTIVE;
  return (
    <section class="panel">
      <h2>{texts.offer.title}</h2>
      <QueryView query={query}>
        {(offer) => (
          <>
            <p>{texts.offer[isActive || offer !== "offered" ? offer : "inactive"]}</p>
            {offer === "unlisted" && isActive && can("policy.write") && (
              <div class="actions">
                <ActionButton
                  run={() => client.addIdpToLoginPolicy({ idpId: id }, withKey(key.current))}
                  done={texts.offer.done(name)}
                  onDone={() => {
                    key.current = crypto.randomUUID();
                    return query.reload();
                  }}
                >
                  {texts.offer.add}
                </ActionButton>
              </div>
            )}
          </>
        )}
      </QueryView>
      <p>
        <Link to={toPath("/orgs/:organization/login-policy", { organization })}>{texts.offer.policy}</Link>
      </p>
    </section>
  );
}

/** Whether logins offer an identity provider while it is active; if not, whether no other is offered either. */
type Offer = "offered" | "unlisted" | "forbidden";
