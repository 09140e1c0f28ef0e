import type { VNode } from 'preact';
import {
  type TimeBreakdown,
  timeCategories,
  type TimeCategory,
  categoryWords,
} from '../../model/time-breakdown.js';
import { formatMilliseconds } from '../../model/formatting.js';

/** Round axis ends in milliseconds. */
const roundEnds = [1, 2.5, 5, 10, 25, 50, 100, 250, 500]
  .flatMap((end) => [end, end * 1000])
  .sort((a, b) => a - b);
/** Share of requests whose bars must fit on the axis. */
const fitting = 0.9;

/** Returns the end of a linear axis: a round number that at least nine in ten durations do not exceed. */
export function axisEnd(durations: readonly number[]): number {
  const sorted = durations.toSorted((a, b) => a - b);
  const wanted = sorted[Math.max(0, Math.ceil(sorted.length * fitting) - 1)] ?? 1;
  return roundEnds.find((end) => end >= wanted) ?? Math.ceil(wanted / 1_000_000) * 1_000_000;
}

/**
 * A part that is narrower, in per cent of the axis, is some pixels wide at most, and drawn as part of its neighbour.
 */
const minWidth = 0.5;

/** A request's time breakdown on a linear axis that ends at `end` milliseconds. A longer bar has a torn edge. */
export function RequestBar({ breakdown, durationMs, end }: BarProps): VNode {
  const isTorn = durationMs > end;
  const scale = 100 / end;
  const words: string[] = [];
  const parts: { category: TimeCategory; from: number; width: number; isOwn: boolean }[] = [];
  let x = 0;
  for (const category of timeCategories) {
    const took = breakdown[category];
    const width = Math.min(took * scale, 100 - x);
    if (took >= durationMs / 10 && took > 0)
      words.push(`${categoryWords[category]} ${formatMilliseconds(took)}`);
    const before = parts.at(-1);
    const isOwn = width >= minWidth;
    if (before !== undefined && !(isOwn && before.isOwn)) {
      before.width += width;
      if (isOwn) Object.assign(before, { category, isOwn });
    } else if (width > 0) parts.push({ category, from: x, width, isOwn });
    x = Math.min(100, x + took * scale);
  }
  const rects = parts.map(
    ({ category, from, width }) =>
      width > 0.1 && (
        <rect
          class={outlined.has(category) && width < 1 ? 'thin' : `c-${category}`}
          x={from === 0 ? undefined : percent(from)}
          width={percent(width)}
        />
      ),
  );
  return (
    <svg class="req-bar" role="img">
      <title>{words.join(', ')}</title>
      {rects}
      {isTorn && <TornEnd />}
    </svg>
  );
}

/** The fill patterns used by the style sheet for waiting and machine time; needed once per document or shadow tree. */
export function Hatches(): VNode {
  return (
    <svg class="visually-hidden" aria-hidden="true">
      {(['app', 'busy'] as const).map((kind) => (
        <pattern
          id={`hatch-${kind}`}
          width="7"
          height="7"
          patternUnits="userSpaceOnUse"
          patternTransform={`rotate(${kind === 'app' ? 45 : -45})`}
        >
          <rect width="3" height="7" class={kind === 'app' ? 'c-app' : 'thin'} />
        </pattern>
      ))}
    </svg>
  );
}

/** Number of positions on the strip, and its height in pixels. */
const stripPlaces = 75;
const stripHeight = 34;

/** Other requests' durations as a strip, from 0 to the longest, with a line for this one. */
export function Strip({ times, ms }: { times: readonly number[]; ms: number }): VNode {
  const end = Math.max(ms, ...times, Number.MIN_VALUE) * 1.05;
  const counts = new Map<number, number>();
  for (const time of times) {
    const place = Math.floor((time / end) * stripPlaces);
    counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  const most = Math.max(...counts.values(), 1);
  const height = (count: number): number => Math.max(4, Math.round((count / most) * (stripHeight - 4)));
  return (
    <svg class="strip" width="300" height={stripHeight} aria-hidden="true">
      {[...counts].map(([place, count]) => (
        <rect x={place * 4} y={stripHeight - height(count)} width="3" height={height(count)} />
      ))}
      <rect class="own" x={Math.round((ms / end) * 300)} width="2" height={stripHeight} />
    </svg>
  );
}

/** The edge of a bar that exceeds its axis. */
export function TornEnd(): VNode {
  return (
    <svg x="100%" class="tears">
      <path class="tear" d="M-9-1l5 5.5-5 5.5 5 5.5-5 5.5h14v-22z" />
    </svg>
  );
}

/** Categories drawn with an outline, which would fill a narrow part. */
const outlined: ReadonlySet<TimeCategory> = new Set(['waiting', 'busy', 'unaccounted']);

interface BarProps {
  readonly breakdown: TimeBreakdown;
  readonly durationMs: number;
  /** End of the axis, in milliseconds. */
  readonly end: number;
}

/** The names of all kinds of work, next to their colours. */
export function ColourKey(): VNode {
  return (
    <ul class="legend" aria-label="Colours of the bars">
      {timeCategories.map((category) => (
        <li>
          <CategoryMark category={category} />
          {categoryWords[category]}
        </li>
      ))}
    </ul>
  );
}

/** The kinds of work that took a noticeable part of a request, with their times and shares. */
export function Legend({ breakdown, durationMs }: Pick<BarProps, 'breakdown' | 'durationMs'>): VNode {
  const shown = timeCategories.filter((category) => breakdown[category] > durationMs / 200);
  return (
    <ul class="legend" aria-label="Where the time went">
      {shown.map((category) => (
        <li>
          <CategoryMark category={category} />
          {categoryWords[category]} <strong>{formatMilliseconds(breakdown[category])}</strong>{' '}
          {Math.round((100 * breakdown[category]) / durationMs)} %
        </li>
      ))}
    </ul>
  );
}

/** A category's colour key, shown next to its name. */
export function CategoryMark({ category }: { category: TimeCategory }): VNode {
  return (
    <svg class="key" width="10" height="10" aria-hidden="true">
      <rect width="10" height="10" rx="2" class={`c-${category}`} />
    </svg>
  );
}

/**
 * Labels of an axis from 0 to `end` milliseconds, by default in five steps. Long axes are labelled in seconds, so that
 * the labels fit.
 */
export function AxisLabels(props: { end: number; marks?: readonly number[] }): VNode {
  const { end, marks = [0, 1, 2, 3, 4].map((step) => (end * step) / 5) } = props;
  const [unit, divisor] = end >= 1000 ? ['s', 1000] : ['ms', 1];
  const figure = (ms: number): number => Number((ms / divisor).toPrecision(3));
  return (
    <svg aria-hidden="true" class="axis" width="100%" height="16">
      {marks.map((at) => (
        <text x={percentOf(at / end)} y="12">
          {figure(at)}
        </text>
      ))}
      <text x="100%" y="12" text-anchor="end">
        {figure(end)} {unit}
      </text>
    </svg>
  );
}

/** Formats an axis share as an attribute, to a hundredth of a per cent; 0 if not finite. */
export function percentOf(share: number): string {
  return `${Number.isFinite(share) ? Math.round(share * 10_000) / 100 : 0}%`;
}

/** Formats a length as an attribute, because a strict policy forbids inline styles. */
export function percent(value: number): string {
  return `${Math.round(value * 10) / 10}%`;
}
