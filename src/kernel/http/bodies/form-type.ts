/**
 * Says whether a header `content-type` is that of a form, whatever parameters it has: clients send `charset=ISO-8859-1`, `utf8` or a
 * bare `;`, and none of them changes what the bytes are. Those are UTF-8 after percent-decoding (WHATWG URL §5.1); the media type
 * itself has no parameters (RFC 7231 §3.1.1.1, WHATWG URL §5).
 */
export function isFormType(contentType = ""): boolean {
  return /^[ \t]*application\/x-www-form-urlencoded[ \t]*(?:;|$)/i.test(contentType);
}
