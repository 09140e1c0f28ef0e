import { ifPresent, compact } from './blocks/make-blocks.js';
import { type Phrase, say, sayKnown } from '../words/say.js';
import type { ProfileRecord } from '../model/profile-record.js';
import type { PanelContext } from './panel.js';
import { logAnchor } from '../findings/finding.js';
import type { Block, Mark, Span } from './blocks/block.js';
import { type NestedSpan, nestSpans } from './blocks/nest-spans.js';
import { levelTone } from './logs-panel.js';

/** Maximum log entries marked on the axis. */
const maxMarks = 200;
const maxMarkLength = 120;

export interface WaterfallOptions {
  /** Adjacent spans shorter than this many milliseconds are folded into one row; 0 folds none. */
  readonly foldBelowMs: number;
  readonly maxRows: number;
}

/** Creates the timeline of a record: a bar for each span, short ones folded, and the log entries as marks on the axis. */
export function waterfallOf(
  record: ProfileRecord,
  context: PanelContext,
  { foldBelowMs, maxRows }: WaterfallOptions,
): { readonly block: Extract<Block, { kind: 'timeline' }>; readonly omitted: number } {
  const rows = foldShort(nestSpans(record.timeline), foldBelowMs);
  const spans = rows.slice(0, maxRows).map((row) => toSpan(row, record, context));
  const block = {
    kind: 'timeline',
    label: say('Timeline of the request'),
    total: record.durationMs,
    spans,
    marks: marksOf(record, context),
  } as const;
  return { block, omitted: rows.length - spans.length };
}

/** Folds adjacent spans shorter than `foldBelowMs` milliseconds, with all spans nested in them, into one row. */
export function foldShort(spans: readonly NestedSpan[], foldBelowMs: number): readonly NestedSpan[] {
  const rows: NestedSpan[] = [];
  let run: NestedSpan[] = [];
  const close = (): void => {
    const [first] = run;
    rows.push(...(first !== undefined && run.length > 1 ? [sumOf(first, run)] : run));
    run = [];
  };
  for (const span of spans) {
    const isShort = span.durationMs < foldBelowMs;
    const [first] = run;
    if (first !== undefined && (!isShort || span.depth < first.depth)) close();
    if (isShort) run.push(span);
    else rows.push(span);
  }
  close();
  return rows;
}

function sumOf(first: NestedSpan, run: readonly NestedSpan[]): NestedSpan {
  const { depth } = first;
  const outer = run.filter((span) => span.depth === depth);
  const startMs = Math.min(...outer.map((span) => span.startMs));
  const end = Math.max(...outer.map((span) => span.startMs + span.durationMs));
  const busyMs = outer.reduce((sum, span) => sum + (span.busyMs ?? span.durationMs), 0);
  const steps = run.filter(({ category }) => category !== 'stage');
  const named = steps.length === 0 ? run : steps;
  const longest = outer.reduce((best, span) => (span.durationMs > best.durationMs ? span : best), first);
  const [one = longest] = named;
  const isAlike = named.every((span) => kindOf(span) === kindOf(one));
  const name = say((isAlike ? kindNames[kindOf(one)] : undefined) ?? '{n} step|{n} steps', {
    n: named.length,
  });
  const { category } = isAlike ? one : longest;
  return {
    name,
    category,
    startMs,
    durationMs: end - startMs,
    busyMs: Math.min(busyMs, end - startMs),
    depth,
  };
}

/** Cache commands have the category of the database for their colour, but are not counted as queries. */
const kindOf = ({ category, section }: NestedSpan): string => (section === 'cache' ? section : category);

const kindNames: Readonly<Record<string, Phrase>> = {
  listener: '{n} listener|{n} listeners',
  cache: '{n} cache command|{n} cache commands',
  database: '{n} query|{n} queries',
  http: '{n} outgoing call|{n} outgoing calls',
  rendering: '{n} rendering|{n} renderings',
  app: '{n} span|{n} spans',
};

function toSpan(row: NestedSpan, record: ProfileRecord, context: PanelContext): Span {
  const { category, startMs, durationMs, busyMs, depth, section, anchor, detail } = row;
  const details = [
    ...ifPresent(busyMs, () => say('together')),
    ...ifPresent(detail, sayKnown),
    ...compact(row.open === true && say('never ended while the request was watched')),
  ];
  const link =
    section === undefined ? undefined : { panel: section, ...(anchor === undefined ? {} : { anchor }) };
  return {
    label: labelOf(row, record),
    start: startMs,
    duration: durationMs,
    ...(busyMs === undefined ? {} : { busy: busyMs }),
    depth,
    category,
    ...(details.length === 0 ? {} : { detail: details.join('; ') }),
    ...(link === undefined || anchor === undefined ? {} : { href: context.linkTo(link) }),
  };
}

/** Returns the label of a bar: the controller's function name, and “… event” for stages to distinguish them. */
function labelOf({ category, name, busyMs }: NestedSpan, { controller }: ProfileRecord): string {
  if (category === 'controller') return controller?.name ?? name;
  return category === 'stage' && busyMs === undefined ? say('{name} event', { name }) : name;
}

function marksOf({ logs }: ProfileRecord, context: PanelContext): readonly Mark[] {
  return logs.slice(0, maxMarks).map(({ level, message, offsetMs }, index) => ({
    at: offsetMs,
    label: `${level}: ${message.slice(0, maxMarkLength)}`,
    tone: levelTone(level),
    href: context.linkTo({ panel: 'logs', anchor: logAnchor(index) }),
  }));
}
