/** Printable ASCII without what JSON escapes. */
const plain = /^[ !#-[\]-~]*$/;
/** Up to here, looking at each character costs less than beginning to search. */
const short = 32;

/** Characters that a text takes as JSON. */
export function jsonLength(text: string): number {
  const isPlain = text.length > short ? plain.test(text) : isPlainShort(text);
  return isPlain ? text.length + 2 : JSON.stringify(text).length;
}

function isPlainShort(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 32 || code > 126 || code === 34 || code === 92) return false;
  }
  return true;
}
