import { type Phrase, say } from '../../words/say.js';
import type { VNode } from 'preact';
import { type TimeBreakdown, timeCategories, type TimeCategory } from '../../model/time-breakdown.js';
import { formatMilliseconds } from '../../words/format.js';

/** Names of the kinds of work. */
export const categoryWords: Readonly<Record<TimeCategory, Phrase>> = {
  framework: 'framework',
  app: 'application',
  database: 'database',
  http: 'outgoing HTTP',
  rendering: 'rendering',
};

interface BarProps {
  readonly breakdown: TimeBreakdown;
  /** Share of the available width that the bar fills, from 0 to 1. */
  readonly length?: number;
}

/** A request's time by kind of work, as one bar. Hidden from screen readers, since the figures are in the text. */
export function BreakdownBar({ breakdown, length = 1 }: BarProps): VNode {
  const total = totalOf(breakdown);
  const scale = total > 0 ? (100 * Math.min(Math.max(length, 0.02), 1)) / total : 0;
  let x = 0;
  const parts = timeCategories.flatMap((category) => {
    const [from, width] = [x, breakdown[category] * scale];
    x += width;
    if (width < 0.5) return [];
    return [<path class={`c-${category}`} d={`M${round(from)} 0h${round(width)}v6H${round(from)}`} />];
  });
  return (
    <svg class="breakdown" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      {parts}
    </svg>
  );
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

/** Returns the length of a row's bar relative to the slowest request; logarithmic, so that fast requests stay visible. */
export function barLength(durationMs: number, slowest: number): number {
  return slowest <= 0 ? 0 : Math.log1p(Math.max(durationMs, 0)) / Math.log1p(slowest);
}

/** The bar with a legend of the figures. */
export function BreakdownFigures({ breakdown }: { breakdown: TimeBreakdown }): VNode {
  const total = totalOf(breakdown);
  const worthNaming = timeCategories.filter(
    (category) => breakdown[category] >= total / 200 && breakdown[category] > 0,
  );
  return (
    <div class="breakdown-figures">
      <BreakdownBar breakdown={breakdown} />
      <ul aria-label={say('Where the time went')}>
        {worthNaming.map((category) => (
          <li>
            <CategoryMark category={category} />
            {say(categoryWords[category])} <b>{formatMilliseconds(breakdown[category])}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Colour key of a kind of work, shown next to its name. */
export function CategoryMark({ category }: { category: TimeCategory }): VNode {
  return (
    <svg class="mark" viewBox="0 0 10 10" aria-hidden="true">
      <rect width="10" height="10" rx="2" class={`c-${category}`} />
    </svg>
  );
}

function totalOf(breakdown: TimeBreakdown): number {
  return timeCategories.reduce((sum, category) => sum + breakdown[category], 0);
}
