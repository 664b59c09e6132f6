/** What the service takes at most. */
const maxBytes = 524_288;
/** More than any screen shows of a logo or an icon. */
const maxSide = 1000;

/**
 * Draws an image again: what is sent has its picture and nothing else of the file, such as where it was taken. It becomes smaller until
 * the service takes it. Undefined: the browser cannot read it.
 */
export async function drawImage(file: Blob): Promise<Uint8Array | undefined> {
  const bitmap = await createImageBitmap(file).catch(() => undefined);
  if (bitmap === undefined) return undefined;
  const type = file.type === "image/jpeg" ? "image/jpeg" : "image/png";
  let scale = Math.min(1, maxSide / bitmap.width, maxSide / bitmap.height);
  for (;;) {
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, type, 0.9);
    });
    if (blob === null) return undefined;
    if (blob.size <= maxBytes) return new Uint8Array(await blob.arrayBuffer());
    scale /= 2;
  }
}
