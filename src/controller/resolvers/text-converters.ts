/** Converts text of a request to a value; returns undefined for invalid text. */
export type TextConverter<Value> = (text: string) => Value | undefined;

/** Converts decimal digits with an optional minus; undefined outside of the safe integers. */
export function toInteger(text: string): number | undefined {
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

/** Converts a decimal number such as `-1.5`, without an exponent. */
export function toNumber(text: string): number | undefined {
  return /^-?\d{1,300}(?:\.\d{1,300})?$/.test(text) ? Number(text) : undefined;
}

/** Converts `1`, `true`, `on`, `yes` and `0`, `false`, `off`, `no`; ignores case. */
export function toBoolean(text: string): boolean | undefined {
  if (/^(?:1|true|on|yes)$/i.test(text)) return true;
  return /^(?:0|false|off|no)$/i.test(text) ? false : undefined;
}

/** Converts a date (`2026-11-21`) or a date-time, such as `2026-11-21T10:00:00Z`, of ISO 8601. */
export function toDate(text: string): Date | undefined {
  const parts = /^(\d{4}-\d{2}-(\d{2}))(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/.exec(
    text,
  );
  if (parts === null) return undefined;
  const day = new Date(`${parts[1] ?? ''}T00:00:00Z`);
  const date = new Date(text);
  const isReal = !Number.isNaN(date.getTime()) && day.getUTCDate() === Number(parts[2]); // false for e.g. 30 February
  return isReal ? date : undefined;
}

/** Creates a converter that accepts only these texts. */
export function toOneOf<const Text extends string>(...texts: readonly Text[]): TextConverter<Text> {
  return (text) => texts.find((candidate) => candidate === text);
}
