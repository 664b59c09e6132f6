/** The HTTP status that goes with a canonical code on JSON (decision 3), where the reason has none of its own. */
export const httpStatusOfCode: Readonly<Record<number, number>> = {
  1: 499,
  3: 400,
  4: 504,
  5: 404,
  6: 409,
  7: 403,
  8: 429,
  9: 400,
  10: 409,
  11: 400,
  12: 501,
  14: 503,
  16: 401,
};
