/** Printable ASCII without what JSON escapes. */
const plain = /^[ !#-[\]-~]*$/;

/** Characters that a text takes as JSON. */
export function jsonLength(text: string): number {
  return plain.test(text) ? text.length + 2 : JSON.stringify(text).length;
}
