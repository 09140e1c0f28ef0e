/** The parser's internal source of parts: each part emits its header fields before they are read. */
interface PartSource {
  prependListener(
    event: 'part',
    listener: (part: {
      prependListener(
        event: 'header',
        listener: (fields: Record<string, string[] | undefined>) => void,
      ): unknown;
    }) => void,
  ): unknown;
}

/**
 * Makes a form parser read field and file names as intended: it would prefer `filename` to `filename*` (contrary to RFC
 * 6266 section 4.3), and decode the `%22` that browsers write for a quotation mark. If the parser has no such internal
 * source, names are read as usual.
 */
export function readNamesAsMeant(parser: object): void {
  const { _parser: reader } = parser as { _parser?: { parser?: Partial<PartSource> } }; // not documented
  reader?.parser?.prependListener?.('part', (part) => {
    part.prependListener('header', (fields) => {
      const lines = fields['content-disposition'];
      const [line] = lines ?? [];
      if (lines !== undefined && line !== undefined) lines[0] = disposition(line);
    });
  });
}

const parameterPattern = /;[ \t]*([^=;" \t]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^;"]*)/g;

/** Returns a Content-Disposition header with a single file name. */
export function disposition(line: string): string {
  const extended = [...line.matchAll(parameterPattern)].find(
    ([, name]) => name?.toLowerCase() === 'filename*',
  );
  const dropped = extended === undefined || !isExtendedValue(extended[2] ?? '') ? 'filename*' : 'filename';
  const hasBoth = extended !== undefined && /;[ \t]*filename[ \t]*=/i.test(line);
  return line.replace(parameterPattern, (whole, name: string) => {
    if (hasBoth && name.toLowerCase() === dropped) return '';
    return name.endsWith('*') ? whole : whole.replaceAll('%22', '\\"');
  });
}

/** Whether a value is encoded according to RFC 8187. */
function isExtendedValue(value: string): boolean {
  const [, charset = '', text = ''] =
    /^(utf-8|iso-8859-1)'[A-Za-z0-9-]*'((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-Fa-f]{2})*)[ \t]*$/i.exec(value) ??
    [];
  if (charset === '') return false;
  if (charset.toLowerCase() !== 'utf-8') return true;
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
