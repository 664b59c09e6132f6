import { create } from "@bufbuild/protobuf";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type CustomTexts, CustomTextsSchema } from "../../../../gen/console/gatehouse/v1/custom_text_pb.ts";
import {
  CustomTextService,
  SetCustomTextsRequestSchema,
  SetDefaultCustomTextsRequestSchema,
} from "../../../../gen/console/gatehouse/v1/custom_text_service_pb.ts";
import { useCan, useClient } from "../../api/api.ts";
import { Link } from "../../routing/navigation.tsx";
import type { PageProps } from "../../routing/page-entry.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { History } from "../../ui/events/history.tsx";
import { PageFrame } from "../../ui/page-frame.tsx";
import { CustomTextsView } from "./custom-texts-view.tsx";
import { customTexts } from "./texts.ts";

/** Shows the texts that an organization may change. */
export function OrganizationTextsPage(_props: PageProps<"organization">): JSX.Element {
  const texts = useTexts(customTexts);
  const client = useClient(CustomTextService);
  const [version, setVersion] = useState<bigint>();
  return (
    <PageFrame title={texts.title} lead={texts.leadOrganization}>
      <CustomTextsView
        request={SetCustomTextsRequestSchema}
        calls={{
          async read(language) {
            const all = requireTexts((await client.getCustomTexts({ language })).texts);
            const own = all.texts.filter((text) => text.isChangeableByOrganizations);
            return create(CustomTextsSchema, { ...all, texts: own });
          },
          save: (language, changed, options) =>
            client.setCustomTexts({ language, texts: [...changed] }, options),
          resetAll: (language, options) => client.resetCustomTexts({ language }, options),
        }}
        onRead={({ details }) => setVersion(details?.sequence)}
      />
      <History aggregate="custom_texts" version={version} />
    </PageFrame>
  );
}

/** Shows the texts of the instance. */
export function DefaultTextsPage(): JSX.Element {
  const texts = useTexts(customTexts);
  const can = useCan();
  const client = useClient(CustomTextService);
  return (
    <PageFrame title={texts.title} lead={texts.leadInstance}>
      <CustomTextsView
        request={SetDefaultCustomTextsRequestSchema}
        calls={{
          read: async (language) => requireTexts((await client.getDefaultCustomTexts({ language })).texts),
          save: (language, changed, options) =>
            client.setDefaultCustomTexts({ language, texts: [...changed] }, options),
          resetAll: (language, options) => client.setDefaultCustomTexts({ language }, options),
        }}
        onRead={() => undefined}
      />
      {can("event.read") && (
        <p>
          <Link to="/events?kind=custom_texts">{texts.events}</Link>
        </p>
      )}
    </PageFrame>
  );
}

function requireTexts(texts: CustomTexts | undefined): CustomTexts {
  if (texts === undefined) throw new Error("the answer has no texts");
  return texts;
}
