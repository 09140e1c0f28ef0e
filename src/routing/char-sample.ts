/** Characters that stand for all others when expressions are compared: ASCII, and one or two of many scripts. */
const sample: readonly string[] = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from('\u0085\u00a0§²éßÀŒΩλяЖאعก中あ한٣፩\u2028\u3000😀𝒳'),
];

const known = new Map<string, bigint>();

/** The sample characters that an atom (a character, an escape, a class) takes, one bit for each. */
export function sampleOf(source: string): bigint {
  const earlier = known.get(source);
  if (earlier !== undefined) return earlier;
  const form = new RegExp(`^${source}$`, 'su');
  let bits = 0n;
  for (const [index, char] of sample.entries()) if (form.test(char)) bits |= 1n << BigInt(index);
  // Beyond the sample: as good as any character that is not ASCII.
  const result = bits === 0n ? ((1n << BigInt(sample.length)) - 1n) ^ ((1n << 128n) - 1n) : bits;
  if (known.size < 10_000) known.set(source, result);
  return result;
}

export const slashSample: bigint = 1n << 47n;
