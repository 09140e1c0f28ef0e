import { safely } from '#core/coded-error';
import type { SourceLoader } from '#core/errors';
import { cutRecorded } from '../model/formatting.js';
import type { ProfileRecord, StoredFinding } from '../model/profile-record.js';
import { findLocation, type RecordFinding } from './finding.js';
import { withOriginalLines } from './finding-locations.js';
import { finders, stepsOf } from './completed.js';
import { noticeableMs } from './time/findings.js';

const maxFindings = 20;
const maxLengths = { text: 500, name: 100, location: 300 };

/**
 * Returns up to twenty findings for a complete record, ranked by what they explain: errors, then the cause of a failure or of most of a
 * slow request, other warnings, parts of the time by length, and infos. Includes findings from custom sections, which the record already
 * has. With `sources`, they name lines in the original sources.
 */
export function findFindings(record: ProfileRecord, sources?: SourceLoader): readonly StoredFinding[] {
  // A finder may throw if a section lacks the expected shape.
  const found = demoteHeldUp(
    finders.flatMap((find) => safely(() => [find(record, stepsOf) ?? []].flat(), [])),
  );
  const ranked = found.map((finding) => ({
    finding: toStored(finding),
    rank: rankOf(finding, record.durationMs),
  }));
  for (const finding of record.findings ?? []) ranked.push({ finding, rank: rankOf(finding, 0) });
  const first = ranked
    .sort((a, b) => b.rank - a.rank)
    .slice(0, maxFindings)
    .map(({ finding }) => finding);
  return sources === undefined ? first : safely(() => withOriginalLines(first, record, sources), first);
}

/** A step that was slow because the event loop was blocked explains nothing. */
function demoteHeldUp(found: readonly RecordFinding[]): readonly RecordFinding[] {
  const msOf = ({ explains }: RecordFinding): number => (typeof explains === 'number' ? explains : 0);
  const heldUp = Math.max(0, ...found.filter(({ kind }) => kind === 'held-up').map(msOf));
  return found.map((one) =>
    one.kind === 'slow' && heldUp >= msOf(one) / 2 ? { ...one, level: 'info', explains: 0 } : one,
  );
}

function rankOf({ level, explains }: Pick<RecordFinding, 'level' | 'explains'>, durationMs: number): number {
  if (level === 'error') return 5;
  if (explains === 'failure') return 4;
  if (explains === undefined) return level === 'warn' ? 2 : 0;
  const share = Math.min(explains / durationMs, 0.99) || 0;
  return (durationMs >= noticeableMs && share >= 0.375 ? 3 : 1) + share;
}

function toStored({ level, kind = 'other', text, location, target, explains }: RecordFinding): StoredFinding {
  const line = location ?? findLocation(text);
  return {
    section: target?.panel ?? 'request',
    kind: kind.slice(0, maxLengths.name),
    level,
    text: cutRecorded(text, maxLengths.text),
    ...(line === undefined ? {} : { location: line.slice(0, maxLengths.location) }),
    ...(target?.anchor === undefined ? {} : { anchor: target.anchor.slice(0, maxLengths.name) }),
    ...(typeof explains === 'number' ? { explainsMs: explains } : {}),
  };
}
