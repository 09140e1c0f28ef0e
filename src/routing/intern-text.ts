/**
 * The same text as the engine keeps it for property names: flat, and looked up by its address. Slices and joins are
 * neither, which costs at every match.
 */
export function internText(text: string): string {
  return Object.keys({ [text]: true })[0] ?? text;
}
