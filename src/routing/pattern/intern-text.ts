const internedTexts = new Map<string, string>(); // names of variables: those of the routes

/**
 * The same text as the engine keeps it for property names. A name that was cut out of a longer text would be looked up
 * among them at every match.
 */
export function internText(text: string): string {
  const earlier = internedTexts.get(text);
  if (earlier !== undefined) return earlier;
  const interned = Object.keys({ [text]: true })[0] ?? text;
  if (internedTexts.size < 10_000) internedTexts.set(text, interned);
  return interned;
}
