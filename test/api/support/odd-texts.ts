/** Texts that are the id of nothing, however they are read. */
export const noIds = [
  "\u0000",
  "-1",
  "01",
  "1e3",
  "9223372036854775808",
  "' OR 1=1 --",
  "..",
  "%2F",
  "\u{10FFFF}",
  " 1 ",
];

/** Texts that are blank, or have a control character or a separator of lines: no field takes them. */
export const controlTexts = [
  " ",
  "\u00A0\u3000\u2003",
  "\u2028",
  "a\tb",
  "a\nb",
  "\u0000",
  "a\u007F",
  "\u0085",
  "\u009Fx",
];
