/** Returns the bytes of base64 in which any group of four may be padded. */
export function decodeText(text: string): Buffer {
  return Buffer.concat((text.match(/.{4}/gs) ?? []).map((group) => Buffer.from(group, "base64")));
}

/**
 * Returns a `fetch` that turns the binary format of gRPC-web into the text format and back, for clients that speak only the
 * first: `createGrpcWebTransport({ baseUrl, fetch: fetchInText })`.
 */
export const fetchInText: typeof globalThis.fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/grpc-web-text");
  headers.set("accept", "application/grpc-web-text");
  const bytes = new Uint8Array(await new Response(init.body ?? null).arrayBuffer());
  const response = await fetch(input, { ...init, headers, body: Buffer.from(bytes).toString("base64") });
  const answered = new Headers(response.headers);
  const type = answered.get("content-type");
  if (type !== "application/grpc-web-text+proto") throw new Error(`an answer of the type ${type ?? "none"}`);
  answered.set("content-type", "application/grpc-web+proto");
  answered.delete("content-length");
  return new Response(response.body?.pipeThrough(decoding()) ?? null, {
    status: response.status,
    headers: answered,
  });
};

/** Decodes each group as soon as it has come. */
function decoding(): TransformStream<Uint8Array, Uint8Array> {
  let rest = "";
  return new TransformStream({
    transform(chunk, controller) {
      const text = rest + Buffer.from(chunk).toString("latin1");
      const whole = text.length - (text.length % 4);
      rest = text.slice(whole);
      if (whole > 0) controller.enqueue(decodeText(text.slice(0, whole)));
    },
    flush(controller) {
      if (rest !== "") controller.error(new Error("the text ends in the middle of a group"));
    },
  });
}
