import { say } from '#core/phrases';
import type { ProfileRecord, RecordedSpan } from '../../model/profile-record.js';
import { shorten } from '../../model/formatting.js';
import type { DbSection } from '../../sections/database/queries.js';
import { findSection } from '../../sections/define-section.js';
import { shapeOf } from '../../sections/database/repeated.js';

/** One step in a request, or several equal ones in a row: a query, a call, or the listener that responded. */
export interface Step {
  readonly label: string;
  /** How it ended, if recorded: `402`, `miss`, an error message. */
  readonly outcome: string | null;
  readonly count: number;
}

/** Steps side by side; null where a record has no step. */
export interface StepRow {
  readonly before: Step | null;
  readonly after: Step | null;
  /** `same` even if it ran a different number of times, or in another place. */
  readonly isSame: boolean;
}

/** Two requests' steps in order, and the first that differs. */
export interface StepComparison {
  readonly rows: readonly StepRow[];
  /** The first differing row's index; undefined if there is none. */
  readonly first: number | undefined;
  /** True if a record has not kept all of its steps. */
  readonly isCut: boolean;
}

interface Run extends Step {
  readonly key: string;
  count: number;
}

const maxSteps = 150;
const maxLabel = 160;
/** Sections whose spans are not application steps. */
const noSteps: ReadonlySet<string> = new Set(['loop', 'budgets', 'cpu']);
/** Sections whose spans have their outcome as detail. */
const withOutcome: ReadonlySet<string> = new Set(['http', 'cache']);

/** Compares two requests' steps. */
export function compareSteps(before: ProfileRecord, after: ProfileRecord): StepComparison {
  const [was, is] = [runsOf(before), runsOf(after)];
  const rows = align(was.runs, is.runs);
  const first = rows.findIndex(({ isSame }) => !isSame);
  return { rows, first: first === -1 ? undefined : first, isCut: was.isCut || is.isCut };
}

function runsOf(record: ProfileRecord): { readonly runs: readonly Run[]; readonly isCut: boolean } {
  const db = findSection<DbSection>(record, 'db', ['queries', 'totals']);
  const steps = [
    ...record.timeline.flatMap((span): readonly Placed[] => stepOf(span, db)),
    ...answeringListeners(record),
  ].toSorted((a, b) => a.startMs - b.startMs);
  const runs: Run[] = [];
  for (const { key, label, outcome } of steps) {
    const last = runs.at(-1);
    if (last?.key === key) last.count++;
    else runs.push({ key, label: shorten(label, maxLabel), outcome, count: 1 });
  }
  const isCut = runs.length > maxSteps || (db !== undefined && db.totals.queries > db.queries.length);
  return { runs: runs.slice(0, maxSteps), isCut };
}

interface Placed {
  readonly key: string;
  readonly label: string;
  readonly outcome: string | null;
  readonly startMs: number;
}

function stepOf(span: RecordedSpan, db: DbSection | undefined): readonly Placed[] {
  const { name, category, section, anchor, detail, startMs, open } = span;
  if (category === 'controller') return [{ key: `controller ${name}`, label: name, outcome: null, startMs }];
  if (section === undefined || noSteps.has(section)) return [];
  const query =
    section === 'db' ? db?.queries[Number(/-(\d+)$/.exec(anchor ?? '')?.[1] ?? 0) - 1] : undefined;
  const words = (query?.sql ?? name).replace(/\s+/g, ' ').trim();
  const label = section === 'http' ? words.replace(/^(\S+) https?:\/\//, '$1 ') : words;
  const ended = query?.error ?? (withOutcome.has(section) ? detail : undefined) ?? null;
  const outcome = open === true ? 'no end' : ended;
  const shape = section === 'db' ? shapeOf(words) : shapeOfName(label);
  return [{ key: `${section} ${shape} ${outcome ?? ''}`, label, outcome, startMs }];
}

/** Removes the parts of a name that differ between any two requests: numbers, ids, and a URL's query. */
function shapeOfName(name: string): string {
  return name.replace(/\?.*$/, '').replace(/[\da-f]{8}-[\da-f-]{27}|\b[\da-f]{12,64}\b|\d+/gi, '#');
}

function answeringListeners({ events }: ProfileRecord): readonly Placed[] {
  return events.flatMap(({ event, listeners }) =>
    listeners.flatMap(({ name, startMs, stopped, failed }) => {
      if (!stopped && !failed) return [];
      const outcome = failed ? 'threw' : 'answered';
      return [{ key: `listener ${name} ${outcome}`, label: `${event}: ${name}`, outcome, startMs }];
    }),
  );
}

/** Pairs the longest common sequence of steps; those in between are shown side by side. */
function align(was: readonly Run[], is: readonly Run[]): readonly StepRow[] {
  const lengths = lengthsOf(was, is);
  const at = (a: number, b: number): number => lengths[a]?.[b] ?? 0;
  const rows: StepRow[] = [];
  let [gone, fresh]: [Run[], Run[]] = [[], []];
  const onlyOf = (runs: readonly Run[], others: readonly Run[]): ReadonlySet<string> => {
    const known = new Set(others.map(({ key }) => key));
    return new Set(runs.flatMap(({ key }) => (known.has(key) ? [] : [key])));
  };
  const [onlyBefore, onlyAfter] = [onlyOf(was, is), onlyOf(is, was)];
  const closeGap = (): void => {
    for (let row = 0; row < Math.max(gone.length, fresh.length); row++) {
      const [before, after] = [gone[row] ?? null, fresh[row] ?? null];
      // Both have it elsewhere: concurrent steps may swap places.
      const isSame = !onlyBefore.has(before?.key ?? '') && !onlyAfter.has(after?.key ?? '');
      rows.push({ before, after, isSame });
    }
    [gone, fresh] = [[], []];
  };
  let [a, b] = [0, 0];
  while (a < was.length || b < is.length) {
    const [before, after] = [was[a], is[b]];
    if (before !== undefined && after !== undefined && before.key === after.key) {
      closeGap();
      rows.push({ before, after, isSame: true });
      a++;
      b++;
    } else if (after === undefined || (before !== undefined && at(a + 1, b) >= at(a, b + 1))) {
      if (before !== undefined) gone.push(before);
      a++;
    } else {
      fresh.push(after);
      b++;
    }
  }
  closeGap();
  return rows;
}

/** Returns the length of the longest common sequence that starts at each pair of positions. */
function lengthsOf(was: readonly Run[], is: readonly Run[]): readonly (readonly number[])[] {
  const table = Array.from({ length: was.length + 1 }, () => Array.from({ length: is.length + 1 }, () => 0));
  for (let a = was.length - 1; a >= 0; a--)
    for (let b = is.length - 1; b >= 0; b--) {
      const row = table[a];
      if (row === undefined) continue;
      row[b] =
        was[a]?.key === is[b]?.key
          ? (table[a + 1]?.[b + 1] ?? 0) + 1
          : Math.max(table[a + 1]?.[b] ?? 0, row[b + 1] ?? 0);
    }
  return table;
}

/** Formats a step as one line: `POST api.test/charge → 402`, `INSERT INTO orders ×2`. */
export function stepText(step: Step | null): string {
  if (step === null) return '';
  const { label, outcome, count } = step;
  return `${label}${count > 1 ? ` ×${count}` : ''}${outcome === null ? '' : ` → ${shorten(outcome, 80)}`}`;
}

/** Describes how far two requests' steps agree. */
export function describeSteps({ rows, first, isCut }: StepComparison): string {
  const cut = isCut ? ', as far as they were recorded' : '';
  if (first === undefined)
    return say('the same {n} step in both|the same {n} steps in both', { n: rows.length }) + cut;
  if (first === 0) return `the first step differs${cut}`;
  return say('the same {n} step, then they differ|the same {n} steps, then they differ', { n: first }) + cut;
}
