import type { CodePosition, SourceLoader } from '#core/errors';
import type { ProfileRecord, StoredFinding } from '../model/profile-record.js';
import { originalLocationOf } from '../model/recorded-error.js';
import { locationTextOf } from './finding.js';

/** Maximum number of positions examined in one record. */
const maxPositions = 20_000;

/**
 * Maps compiled lines in findings to the original sources. Keeps a compiled line that corresponds to several source
 * lines, as in a minified file.
 */
export function withOriginalLines(
  findings: readonly StoredFinding[],
  { sections, events }: Pick<ProfileRecord, 'sections' | 'events'>,
  sources: SourceLoader,
): readonly StoredFinding[] {
  const wanted = new Set(findings.flatMap(({ location }) => location ?? []));
  if (wanted.size === 0) return findings;
  const originals = new Map<string, Set<string>>();
  for (const position of positionsIn({ sections, events })) {
    const compiled = locationTextOf(position);
    if (compiled === undefined || !wanted.has(compiled)) continue;
    const lines = originals.get(compiled) ?? new Set();
    originals.set(compiled, lines.add(originalLocationOf(position, sources)));
  }
  return findings.map((finding) => {
    const [original, other] = originals.get(finding.location ?? '') ?? [];
    if (finding.location === undefined || original === undefined || other !== undefined) return finding;
    return {
      ...finding,
      text: finding.text.replaceAll(finding.location, () => original),
      location: original,
    };
  });
}

function* positionsIn(value: unknown): Generator<CodePosition> {
  const open = [value];
  for (let count = 0; open.length > 0 && count < maxPositions; count++) {
    const next = open.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (isPosition(next)) yield next;
    else open.push(...Object.values(next));
  }
}

function isPosition(value: object): value is CodePosition {
  const { file, line, column } = value as Partial<Record<string, unknown>>; // each field is checked
  return typeof file === 'string' && typeof line === 'number' && typeof column === 'number';
}
