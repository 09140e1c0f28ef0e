import type { VNode } from 'preact';
import type { TotalsGroup, TotalsQuery } from '../../model/profile-query.js';
import type { ProfilerLinks } from '../site/links.js';
import { type ParsedFilters, withTerms } from './list-filters.js';
import { say } from '#core/phrases';

export type HistogramSteps = NonNullable<TotalsQuery['steps']>;

/** Counts shown in addition to the page's rows. */
export interface CountedRows {
  readonly total: number;
  readonly failed: number;
  readonly slow: number;
  /** False if the store could not be queried, so that the counts are lower bounds. */
  readonly isExact: boolean;
  readonly steps: HistogramSteps;
  readonly histogram: TotalsGroup['steps'];
}

const minuteMs = 60_000;
const maxBars = 30;
const [barWidth, height] = [6, 22];

/** Returns one-minute steps for the half hour that ends at `until`. */
export function lastMinutes(until: number): HistogramSteps {
  return { from: (Math.floor(until / minuteMs) + 1 - maxBars) * minuteMs, stepMs: minuteMs, count: maxBars };
}

/**
 * Requests per minute of the half hour up to the newest, with failed ones in red on top. Each bar links to its minute.
 */
export function Histogram(props: {
  counted: CountedRows;
  parsed: ParsedFilters;
  links: ProfilerLinks;
}): VNode | null {
  const { counted, parsed, links } = props;
  const { steps, histogram } = counted;
  const highest = Math.max(...histogram.map(([count]) => count), 0);
  if (highest === 0) return null;
  const bar = (at: number, count: number): string => {
    const top = height - Math.max(2, Math.round((count / highest) * (height - 1)));
    return `M${at * (barWidth + 2)} ${top}h${barWidth}V${height}h-${barWidth}`;
  };
  return (
    <figure class="histogram">
      <svg
        width={maxBars * (barWidth + 2)}
        height={height}
        role="group"
        aria-label="Requests per minute in the half hour up to the newest"
      >
        {histogram.map(([count, failed], at) => {
          if (count === 0) return null;
          const from = steps.from + at * steps.stepMs;
          const time = new Date(from).toISOString().slice(11, 16);
          const words = `${time} UTC: ${say('{n} request, {failed} failed|{n} requests, {failed} failed', { n: count, failed })}`;
          return (
            <a href={links.list(withTerms(parsed, `after:${from}`, `before:${from + steps.stepMs - 1}`))}>
              <title>{words}</title>
              <path
                class="hit"
                d={`M${at * (barWidth + 2) - 1} 0h${barWidth + 2}v${height}h-${barWidth + 2}`}
              />
              <path class="all" d={bar(at, count)} />
              {failed > 0 && <path class="bad" d={bar(at, failed)} />}
            </a>
          );
        })}
      </svg>
      <figcaption>{say('peak {n}/min', { n: highest })}</figcaption>
    </figure>
  );
}
