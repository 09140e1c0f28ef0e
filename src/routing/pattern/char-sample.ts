const cachedSamples = new Map<string, bigint>(); // by the text of an atom, as requirements have it

/** All ASCII characters, a bit for each, and one bit for all others. */
export const fullSample: bigint = (1n << 129n) - 1n;
export const slashSample: bigint = 1n << 47n;

/** What may take a character beyond ASCII: a dot, a negation, an escape of many characters, or such a character itself. */
const takesOthers = /^\.$|^\[\^|\\[uxpPDWSs]|[^\0-\x7f]/u; // oxlint-disable-line no-control-regex -- the range of ASCII

/** The characters that an atom (a character, an escape, a class) takes, or more. */
export function sampleOf(source: string, options: { readonly ignoreCase?: boolean } = {}): bigint {
  const flags = options.ignoreCase === true ? 'sui' : 'su';
  const earlier = cachedSamples.get(flags + source);
  if (earlier !== undefined) return earlier;
  const form = new RegExp(`^${source}$`, flags);
  let bits = takesOthers.test(source) ? 1n << 128n : 0n;
  for (let code = 0; code < 128; code += 1) {
    if (form.test(String.fromCharCode(code))) bits |= 1n << BigInt(code);
  }
  if (cachedSamples.size < 10_000) cachedSamples.set(flags + source, bits);
  return bits;
}
