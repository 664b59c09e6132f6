/** Changes a URI in every way that a reader might take for the same. */
export function mutationsOf(uri: string): readonly string[] {
  const hostile = [
    "@",
    "#",
    "\\",
    "/",
    ".",
    "%2e",
    "%00",
    "\u0000",
    " ",
    "\t",
    "\n",
    "\u00e9",
    "?",
    "&x=y",
    ";",
    "*",
  ];
  const changed = uri.split("").flatMap((character, index) => {
    const [before, after] = [uri.slice(0, index), uri.slice(index + 1)];
    const swapped = character === character.toUpperCase() ? character.toLowerCase() : character.toUpperCase();
    const encoded = `%${character.charCodeAt(0).toString(16)}`;
    return [
      before + after,
      before + character + character + after,
      before + swapped + after,
      before + encoded + after,
    ];
  });
  const added = hostile.flatMap((text) =>
    [0, 6, 8, uri.length].map((index) => uri.slice(0, index) + text + uri.slice(index)),
  );
  const others = [
    "https://app.example.evil.example/callback?from=gatehouse",
    "https://user@app.example/callback?from=gatehouse",
    "https://app.example:443/callback?from=gatehouse",
    "https://app.example/callback/../callback?from=gatehouse",
    "https://app.example/callback",
    "//app.example/callback?from=gatehouse",
    "javascript:alert(1)",
    "data:text/html,evil",
  ];
  return [...new Set([...changed, ...added, ...others])].filter((text) => text !== uri && text !== "");
}
