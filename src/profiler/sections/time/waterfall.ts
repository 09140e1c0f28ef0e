import { say } from '#core/phrases';
import { logAnchor } from '../finding.js';
import { completedSections } from '../completed.js';
import type { ProfileRecord, RecordedSpan } from '../../model/profile-record.js';
import { breakdownOf, timeCategoryOf } from '../../model/time-breakdown.js';
import type { Block, Mark, Span, CombinedSpan } from '../../view/block.js';
import { compact } from '../../view/make-blocks.js';
import { levelTone } from '../logs/panel.js';
import type { PanelContext } from '../panel.js';

/** Maximum log entries marked on the axis. */
const maxMarks = 60;
const maxMarkLength = 120;
/** Minimum number of equal leaf spans under one span that are combined into one row, drawn as a comb. */
const minRepeats = 3;
const loopWeight = 5;
/** Tolerance in milliseconds for an inner span that ends after its outer span due to rounding. */
const toleranceMs = 0.002;

/** A span with its nesting depth, or several spans on one row. */
export interface TimedStep extends RecordedSpan {
  readonly depth: number;
  /** The spans combined in a row; `busyMs` is the time that at least one of them covers. */
  readonly parts?: readonly CombinedSpan[];
  readonly repeats?: number;
}

export interface WaterfallOptions {
  /** Adjacent spans shorter than this many milliseconds are folded into one row; 0 folds none. */
  readonly foldBelowMs: number;
  readonly maxRows: number;
  /** Adds an overview of the whole request above the rows, and each row's start. */
  readonly isWhole?: true;
}

/** Creates a record's timeline: a bar per step, with short ones folded and log entries as marks. */
export function waterfallOf(
  record: ProfileRecord,
  context: PanelContext,
  { foldBelowMs, maxRows, isWhole }: WaterfallOptions,
): { readonly block: Extract<Block, { kind: 'timeline' }>; readonly omitted: number } {
  const rows = foldShort(stepsOf(record.timeline), foldBelowMs);
  const spans = rows.slice(0, maxRows).map((row) => toSpan(row, record, context));
  const { request, route } = record;
  const whole: Span = {
    label: `${request.method} ${route?.path ?? request.path}`,
    start: 0,
    duration: record.durationMs,
    category: 'framework',
  };
  const block = {
    kind: 'timeline',
    label: 'Timeline of the request',
    total: record.durationMs,
    spans: [whole, ...spans],
    marks: isWhole === true ? marksOf(record, context) : [],
    ...(isWhole === true ? { breakdown: breakdownOf(record) } : {}),
  } as const;
  return { block, omitted: rows.length - spans.length };
}

/** Nests a record's spans, and combines each loop of equal leaf spans into one step. */
export function stepsOf(timeline: readonly RecordedSpan[]): readonly TimedStep[] {
  const nested = nestSpans(timeline);
  const outer = new Set(nested.map(({ within }) => within));
  const loops = new Map<string, (typeof nested)[number][]>();
  for (const [at, step] of nested.entries()) {
    if (step.section === undefined || step.busyMs !== undefined || outer.has(at)) continue;
    const name = completedSections.get(step.section)?.steps?.shapeOf?.(step.name) ?? step.name;
    const key = `${step.within} ${step.section} ${name}`;
    const loop = loops.get(key);
    if (loop === undefined) loops.set(key, [step]);
    else loop.push(step);
  }
  const combs = new Map<TimedStep, TimedStep | undefined>();
  for (const loop of loops.values())
    if (loop.length >= minRepeats)
      for (const [at, step] of loop.entries())
        combs.set(step, at === 0 ? { ...combine(loop), name: step.name, repeats: loop.length } : undefined);
  return nested.flatMap((step) => (combs.has(step) ? compact(combs.get(step)) : [step]));
}

/**
 * Sorts spans by start, keeping the recorded order of equal ones, and adds their depth and the index of the innermost
 * enclosing span (−1: none).
 */
export function nestSpans(
  spans: readonly RecordedSpan[],
): readonly (TimedStep & { readonly within: number })[] {
  const ordered = [...spans].sort((a, b) => a.startMs - b.startMs);
  const around: number[] = [];
  const encloses = (outer: number, span: RecordedSpan): boolean => {
    const other = ordered[outer];
    return other !== undefined && contains(other, span);
  };
  return ordered.map((span, at) => {
    for (let outer = around.at(-1); outer !== undefined && !encloses(outer, span); outer = around.at(-1))
      around.pop();
    const [depth, within] = [around.length, around.at(-1) ?? -1];
    around.push(at);
    return { ...span, depth, within };
  });
}

/**
 * Returns whether `outer` encloses `inner`, which started later. Spans that touch, or are too short for the clock,
 * follow one another, unless `outer` is the stage of the listener `inner`. Queries, outgoing calls and stops of the
 * process enclose nothing: spans during them run concurrently.
 */
function contains(outer: RecordedSpan, inner: RecordedSpan): boolean {
  if (outer.section !== undefined && timeCategoryOf(outer.category) !== 'app') return false;
  if (outer.category === 'unaccounted') return false;
  const end = outer.startMs + outer.durationMs;
  if (end < inner.startMs + inner.durationMs - toleranceMs) return false;
  const isItsStage = outer.category === 'stage' && inner.category === 'listener';
  return isItsStage ? end >= inner.startMs - toleranceMs : end > inner.startMs + toleranceMs;
}

/** Folds adjacent spans shorter than `foldBelowMs` milliseconds, with all spans nested in them, into one row. */
export function foldShort(steps: readonly TimedStep[], foldBelowMs: number): readonly TimedStep[] {
  const rows: TimedStep[] = [];
  let run: TimedStep[] = [];
  const close = (): void => {
    const [first] = run;
    rows.push(...(first !== undefined && run.length > 1 ? [foldRun(first, run)] : run));
    run = [];
  };
  for (const step of steps) {
    // A loop stays visible longer than a single step with the same duration.
    const lengthMs = step.repeats === undefined ? step.durationMs : loopWeight * (step.busyMs ?? 0);
    const isShort = lengthMs < foldBelowMs;
    const [first] = run;
    if (first !== undefined && (!isShort || step.depth < first.depth)) close();
    if (isShort) run.push(step);
    else rows.push(step);
  }
  close();
  return rows;
}

function foldRun(first: TimedStep, run: readonly TimedStep[]): TimedStep {
  const inner = run.filter(({ category }) => category !== 'stage');
  const named = inner.length === 0 ? run : inner;
  const [one = first] = named;
  const isAlike = named.every((step) => kindOf(step) === kindOf(one));
  const kind = (isAlike ? combinedName(one) : undefined) ?? '{n} steps combined';
  const name = named.length === 1 ? one.name : say(kind, { n: named.length });
  return { ...combine(run.filter(({ depth }) => depth === first.depth)), name, category: one.category };
}

/** Combines spans into one step from the first start to the last end. */
function combine(steps: readonly TimedStep[]): TimedStep {
  const [first] = steps;
  if (first === undefined) throw new RangeError('There is nothing to combine.');
  const parts = steps
    .flatMap((step): readonly CombinedSpan[] => {
      const { startMs, durationMs, category } = step;
      return step.parts ?? [{ start: startMs, duration: durationMs, category }];
    })
    .sort((a, b) => a.start - b.start);
  let end = first.startMs;
  let busyMs = 0;
  for (const { start, duration } of parts) {
    busyMs += Math.max(0, start + duration - Math.max(start, end));
    end = Math.max(end, start + duration);
  }
  const startMs = parts[0]?.start ?? first.startMs;
  return { ...first, startMs, durationMs: end - startMs, busyMs, parts };
}

const kindOf = ({ category, section }: TimedStep): string => section ?? category;

function combinedName({ category, section }: TimedStep): string | undefined {
  if (section !== undefined && section !== 'spans') return completedSections.get(section)?.steps?.combined;
  return category === 'listener'
    ? '{n} listeners combined'
    : category === 'app'
      ? '{n} spans combined'
      : undefined;
}

function toSpan(row: TimedStep, record: ProfileRecord, context: PanelContext): Span {
  const { category, startMs, durationMs, busyMs, depth, section, anchor, detail, repeats } = row;
  const isFold = row.parts !== undefined && repeats === undefined;
  const details = compact(detail, row.open === true && 'never ended while the request was watched');
  const hasLink = section !== undefined && anchor !== undefined && !isFold;
  return {
    label: labelOf(row, record),
    start: startMs,
    duration: durationMs,
    ...(busyMs === undefined ? {} : { busy: busyMs, parts: row.parts ?? [] }),
    ...(repeats === undefined ? {} : { repeats }),
    depth: depth + 1,
    category,
    ...(details.length === 0 ? {} : { detail: details.join('; ') }),
    ...(hasLink ? { href: context.linkTo({ panel: section, anchor }) } : {}),
  };
}

/** Returns a bar's label: the function name for controllers, and “… event” for stages, to tell them apart. */
function labelOf({ category, name, parts }: TimedStep, { controller }: ProfileRecord): string {
  if (category === 'controller') return controller?.name ?? name;
  return category === 'stage' && parts === undefined ? `${name} event` : name;
}

function marksOf({ logs }: ProfileRecord, context: PanelContext): readonly Mark[] {
  return logs.slice(0, maxMarks).map(({ level, message, offsetMs }, index) => ({
    at: offsetMs,
    label: `${level}: ${message.slice(0, maxMarkLength)}`,
    tone: levelTone(level),
    href: context.linkTo({ panel: 'logs', anchor: logAnchor(index) }),
  }));
}
