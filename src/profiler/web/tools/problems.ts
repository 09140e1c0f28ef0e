import type { ProfileCondition } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { clip, hasFailed, labelOf, statusOf } from './rows.js';
import { type AnswerRow, orNull, type ToolRecords } from './tool.js';

type RowFinding = ProfileSummary['findings'][number];

/** One problem, with the requests that have it. */
interface Problem {
  readonly kind: string;
  readonly level: RowFinding['level'];
  readonly text: string;
  readonly location: string | undefined;
  readonly route: string;
  count: number;
  /** Token of the newest request that has it. */
  readonly token: string;
  readonly note: string;
  readonly users: Set<string>;
  longestMs: number;
}

export interface ProblemReport {
  readonly rows: readonly AnswerRow[];
  /** Number of requests examined, and whether they are all there are. */
  readonly read: number;
  readonly isComplete: boolean;
}

const maxRows = 1000;
const maxTextLength = 150;
const slowMs = 1000;

/** Lists the newest requests' problems, worst first: findings grouped by kind, line and route; refusals; memory. */
export async function findProblems(
  records: ToolRecords,
  where: readonly ProfileCondition[],
): Promise<ProblemReport> {
  const { rows, next } = await records.list({ where, limit: maxRows });
  const groups = new Map<string, Problem>();
  const blockers = new Set(
    rows.filter((row) => row.findings.some(({ kind }) => kind === 'blocked')).map(({ token }) => token),
  );
  for (const row of rows)
    for (const finding of problemsIn(row)) if (!isVictim(finding, blockers)) addTo(groups, row, finding);
  const all = [...groups.values(), ...(await memoryProblems(records, rows))];
  const counts = new Map<string, { all: number; users: Set<string> }>();
  for (const row of rows) {
    const known = counts.get(labelOf(row)) ?? { all: 0, users: new Set<string>() };
    known.all++;
    if (row.user !== null) known.users.add(row.user);
    counts.set(labelOf(row), known);
  }
  const usual = all.filter((problem) => !isRare(problem, counts.get(problem.route)?.all ?? 0));
  const sorted = usual.toSorted((a, b) => scoreOf(b) - scoreOf(a) || b.count - a.count);
  return {
    rows: sorted.map((problem, at) => problemRow(problem, at, counts.get(problem.route))),
    read: rows.length,
    isComplete: next === null,
  };
}

/** Kinds that are mere consequences, with the kinds that cause them. */
const consequences: readonly (readonly [kinds: readonly string[], causes: readonly string[]])[] = [
  [['log-error', 'log-warning', 'failed-query'], ['error']],
  [
    ['log-error', 'log-warning'],
    ['failed-call', 'failed-query', 'cut'],
  ],
  [['cut'], ['error']],
  [['slow'], ['pool', 'held-up', 'blocked', 'n+1', 'duplicate-query', 'failed-call']],
  [['blocked'], ['held-up']],
];

/** Findings about time that is as intended: what only development takes, such as for the error page, and password hashes. */
const intendedTime = /^(?:The profiler|“(?:Hash|Check) a password”) took /;

/** Facts that are listed last, since they may be intended. */
const facts: ReadonlySet<string> = new Set(['language', 'unused-rows']);

/** Returns a request's problems, without those that follow from others. */
function problemsIn(row: ProfileSummary): readonly RowFinding[] {
  const found = row.findings.filter(
    ({ level, kind, text }) =>
      (level !== 'info' || facts.has(kind)) &&
      !intendedTime.test(text) &&
      (kind !== 'node-warning' || !/\b(?:Experimental|Deprecation)Warning\b/.test(text)),
  );
  const has = (kind: string): boolean => found.some((one) => one.kind === kind);
  const causes = found.filter(
    ({ kind }) => !consequences.some(([kinds, of]) => kinds.includes(kind) && of.some(has)),
  );
  if (row.status >= 400 && row.status < 500) {
    const [thrown] = causes.filter(({ kind }) => kind === 'error');
    const [refusal] = causes.filter(({ kind }) => kind === 'refused');
    const rest = causes.filter((one) => one !== thrown && one !== refusal);
    if (row.status === 404 && row.route === null) return rest;
    const text =
      thrown === undefined
        ? (refusal?.text ?? `Answered ${row.status}`)
        : `Answered ${row.status}: ${thrown.text}`;
    return [{ ...thrown, kind: 'refused', level: 'warn', text }, ...rest];
  }
  if (causes.length > 0) return causes;
  if (row.status >= 500)
    return [
      { kind: 'error', level: 'error', text: `Answered ${row.status}, and nothing was thrown or logged` },
    ];
  if (hasFailed(row)) return [{ kind: 'cut', level: 'warn', text: `Ended as ${statusOf(row)}` }];
  const isSlow = row.answerMs >= slowMs && !row.findings.some(({ text }) => intendedTime.test(text));
  return isSlow ? [{ kind: 'slow', level: 'warn', text: 'Took a second or more, in no single step' }] : [];
}

/** Returns whether a request was delayed by another one that is itself listed for blocking the event loop. */
function isVictim({ kind, text }: RowFinding, blockers: ReadonlySet<string>): boolean {
  return kind === 'held-up' && [...text.matchAll(tokens)].some(([token]) => blockers.has(token));
}

const tokens = /\b[\da-f]{6,12}\b/g;
const longMs = 500;

/**
 * Returns whether a problem is to be expected because only few of its route's requests have it: the first ones load code and open
 * connections, any may have to wait, and a requested item may not exist.
 */
function isRare({ kind, text, count, longestMs }: Problem, all: number): boolean {
  // If all have this language, the application has no other.
  if (kind === 'language') return count === all;
  // A request that may have waited for less than a second, once: at the start, the code of all others is still cold.
  if (kind === 'held-up' && / ms\b/.test(text))
    return count * 2 < all || (count === 1 && text.startsWith('May '));
  if (count * 2 >= all) return false;
  if (kind === 'slow') return longestMs < longMs;
  return kind === 'refused' && text.startsWith('Answered 404');
}

function addTo(groups: Map<string, Problem>, row: ProfileSummary, finding: RowFinding): void {
  const { kind, level, text, location } = finding;
  const shape = text
    .replaceAll(tokens, '#')
    .replaceAll(/[\d.,]{1,40} ?(?:ms|s|µs|B|KiB|MiB)?\b/g, '#')
    .slice(0, 80);
  const route = labelOf(row);
  const key = JSON.stringify([
    kind,
    location ?? '',
    kind === 'error' || location === undefined ? shape : '',
    route,
  ]);
  const known = groups.get(key);
  if (known === undefined) {
    const note = noteOf(row, kind);
    const users = new Set(row.user === null ? [] : [row.user]);
    const longestMs = row.answerMs;
    groups.set(key, {
      kind,
      level,
      text,
      location,
      route,
      count: 1,
      token: row.token,
      note,
      users,
      longestMs,
    });
  } else {
    known.count++;
    known.longestMs = Math.max(known.longestMs, row.answerMs);
    if (row.user !== null) known.users.add(row.user);
  }
}

/** Says how a request ended if that is not obvious: complete despite a failure, or incomplete. */
function noteOf(row: ProfileSummary, kind: string): string {
  if (row.state !== 'complete') return kind === 'cut' ? '' : statusOf(row);
  return row.status < 400 && failureKinds.has(kind) ? `answered ${row.status}` : '';
}

const failureKinds: ReadonlySet<string> = new Set(['error', 'failed-query', 'failed-call']);

/** Weights by kind, in addition to their level. */
const weights: Readonly<Record<string, number>> = {
  error: 9,
  cut: 8,
  'no-response': 8,
  'failed-call': 7,
  'failed-query': 7,
  'failed-listener': 7,
  'not-awaited': 7,
  'body-failure': 7,
  unflushed: 7,
  'open-transaction': 7,
  'graphql-error': 7,
  'self-redirect': 7,
  'log-error': 6,
  'browser-error': 6,
  'empty-body': 6,
  'shared-cookie': 6,
  blocked: 6,
  memory: 6,
  pool: 6,
  'n+1': 5,
  cors: 5,
  'dropped-cookie': 5,
  'held-up': 4,
  slow: 4,
  refused: 3,
  'unused-rows': 1,
  language: 1,
};

function scoreOf({ level, kind }: Problem): number {
  return (level === 'error' ? 2 : 0) + (weights[kind] ?? 2);
}

function problemRow(
  { kind, level, text, location, route, count, token, note, users }: Problem,
  at: number,
  of: { readonly all: number; readonly users: ReadonlySet<string> } = { all: count, users: new Set() },
): AnswerRow {
  const place = location === undefined || text.includes(location) ? '' : ` ${location}`;
  const who =
    kind === 'refused' && of.users.size > 0
      ? ` for ${[...users].slice(0, 3).join(', ') || 'nobody who is logged in'} (${users.size} of ${of.users.size} users)`
      : '';
  const more = note === '' ? '' : ` (${note})`;
  return {
    line: `${at + 1} ${kind} ${count}x of ${of.all} ${route} ${clip(text, maxTextLength)}${place}${more}${who} ${token}`.replace(
      /\s+/g,
      ' ',
    ),
    data: {
      kind,
      level,
      text,
      location: location ?? null,
      route,
      count,
      of: of.all,
      token,
      users: [...users].slice(0, 10),
    },
  };
}

export const problemFields: Readonly<Record<string, object>> = {
  kind: { type: 'string' },
  level: { type: 'string' },
  text: { type: 'string' },
  location: orNull,
  route: { type: 'string' },
  count: { type: 'integer' },
  of: { type: 'integer' },
  token: { type: 'string' },
  users: { type: 'array' },
};

const memoryLimits = { records: 40, leastBytes: 8 * 1024 * 1024, leastEach: 32 * 1024, leastCount: 5 };

/**
 * Returns the route whose requests made the heap grow, if no sample is much below the one before. The samples are in records spread
 * over the rows of the newest request's process.
 */
async function memoryProblems(
  records: ToolRecords,
  rows: readonly ProfileSummary[],
): Promise<readonly Problem[]> {
  const [newest] = rows;
  const own = rows
    .filter(({ instance, state }) => instance === newest?.instance && state === 'complete')
    .toReversed();
  const samples = await readSamples(records, own);
  const [first, last] = [samples[0], samples.at(-1)];
  if (first === undefined || last === undefined) return [];
  const grown = last.bytes - first.bytes;
  // A heap that grows and is collected shrinks in between.
  const falls = samples.filter(
    ({ bytes }, at) => at > 0 && bytes < (samples[at - 1]?.bytes ?? 0) * 0.9,
  ).length;
  if (grown < memoryLimits.leastBytes || falls > 0) return [];
  const growth = new Map<string, { bytes: number; count: number; token: string }>();
  for (const [at, { bytes, index }] of samples.entries()) {
    const before = samples[at - 1];
    if (before === undefined) continue;
    const between = own.slice(before.index + 1, index + 1);
    for (const row of between) {
      const known = growth.get(labelOf(row)) ?? { bytes: 0, count: 0, token: '' };
      known.bytes += (bytes - before.bytes) / between.length;
      known.count++;
      known.token = row.token;
      growth.set(labelOf(row), known);
    }
  }
  const [route, most] = [...growth].toSorted((a, b) => b[1].bytes - a[1].bytes)[0] ?? [];
  if (route === undefined || most === undefined || most.count < memoryLimits.leastCount) return [];
  if (most.bytes < grown / 2 || most.bytes / most.count < memoryLimits.leastEach) return [];
  // Short enough for a list line.
  const range = `${toMiB(first.bytes).replace(' MiB', '')} to ${toMiB(last.bytes)} in ${samples.length} samples, no fall of 10 %`;
  const share = `spread evenly, ${toMiB(most.bytes)} fall to these ${most.count} requests`;
  const text = `Heap and external memory grew by ${toMiB(grown)} (${range}); ${share}`;
  const rest = { location: undefined, note: '', users: new Set<string>(), longestMs: 0 };
  return [{ kind: 'memory', level: 'warn', text, route, count: most.count, token: most.token, ...rest }];
}

interface MemorySample {
  readonly bytes: number;
  /** The index of the row sampled before. */
  readonly index: number;
}

async function readSamples(
  records: ToolRecords,
  own: readonly ProfileSummary[],
): Promise<readonly MemorySample[]> {
  const samples: MemorySample[] = [];
  const step = Math.max(1, Math.ceil(own.length / memoryLimits.records));
  for (let index = 0; index < own.length; index += step) {
    const found = await records.find(own[index]?.token ?? '');
    const bytes = found.kind === 'found' ? heapOf(found.record) : 0;
    if (bytes > 0 && bytes !== samples.at(-1)?.bytes) samples.push({ bytes, index });
  }
  return samples.length < 3 ? [] : samples;
}

function heapOf({ runtime }: ProfileRecord): number {
  return runtime.memory.heapUsed + runtime.memory.external;
}

function toMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
