import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type CallProblem, readProblem } from "../../api/call-problem.ts";
import { type Label, LabelImageKind } from "../../../../gen/console/gatehouse/v1/label_policy_pb.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { Button } from "../../ui/button.tsx";
import { ErrorView } from "../../ui/error-view.tsx";
import { useNotify } from "../../ui/notices.tsx";
import { drawImage } from "./draw-image.ts";
import { brandingTexts } from "./texts.ts";

const kinds = [
  LabelImageKind.LOGO_LIGHT,
  LabelImageKind.LOGO_DARK,
  LabelImageKind.ICON_LIGHT,
  LabelImageKind.ICON_DARK,
] as const;

/** The images of a draft. Each is saved at once. */
export function ImageFields({
  draft,
  save,
}: {
  readonly draft: Label;
  /** Puts an image into the draft; an empty one takes it away. */
  save(kind: LabelImageKind, image: Uint8Array): Promise<void>;
}): JSX.Element {
  const texts = useTexts(brandingTexts);
  const notify = useNotify();
  const [problem, setProblem] = useState<CallProblem | string | undefined>();
  const send = async (kind: LabelImageKind, image: Uint8Array, done: string) => {
    setProblem(undefined);
    try {
      await save(kind, image);
      notify(done);
    } catch (error) {
      setProblem(readProblem(error));
    }
  };
  const take = async (kind: LabelImageKind, file: File | undefined) => {
    if (file === undefined) return;
    const image = await drawImage(file);
    if (image === undefined) setProblem(texts.badImage);
    else await send(kind, image, texts.imageSaved);
  };
  return (
    <section class="panel">
      <h2>{texts.images}</h2>
      <p>{texts.imagesHint}</p>
      {kinds.map((kind) => {
        const image = draft.images.find((each) => Number(each.kind) === kind);
        return (
          <div class="field" key={kind}>
            <label for={`image-${kind}`}>{texts.kinds[kind]}</label>
            {image !== undefined && (
              <div class={kind % 2 === 0 ? "image-ground dark" : "image-ground"}>
                <img src={image.path} alt="" width={image.width} height={image.height} />
              </div>
            )}
            <input
              id={`image-${kind}`}
              type="file"
              accept="image/png,image/jpeg,image/webp"
              onChange={({ currentTarget }) => {
                void take(kind, currentTarget.files?.[0]);
                currentTarget.value = "";
              }}
            />
            {image !== undefined && (
              <div class="actions">
                <Button onClick={() => void send(kind, new Uint8Array(), texts.imageRemoved)}>
                  {texts.removeImage}: {texts.kinds[kind]}
                </Button>
              </div>
            )}
          </div>
        );
      })}
      {typeof problem === "string" && (
        <p class="alert" role="alert">
          {problem}
        </p>
      )}
      {typeof problem === "object" && <ErrorView problem={problem} />}
    </section>
  );
}
