import type { VNode } from 'preact';
import type { TotalsGroup, TotalsQuery } from '../../model/profile-totals.js';
import type { ProfilerLinks } from '../site/links.js';
import type { ListFilters } from './list-filters.js';
import { say } from '../../words/say.js';

export type HistogramSteps = NonNullable<TotalsQuery['steps']>;

const minuteMs = 60_000;
const maxBars = 30;

/** Returns the steps of the half hour that ends at `until`, one per minute. */
export function lastMinutes(until: number): HistogramSteps {
  return { from: (Math.floor(until / minuteMs) + 1 - maxBars) * minuteMs, stepMs: minuteMs, count: maxBars };
}

/** Requests per minute, failed ones in red on top; each bar links to the requests of its minute. */
export function Histogram(props: {
  steps: HistogramSteps;
  counted: TotalsGroup['steps'];
  filters: ListFilters;
  links: ProfilerLinks;
}): VNode | null {
  const { steps, counted, filters, links } = props;
  const highest = Math.max(...counted.map(([count]) => count), 0);
  if (highest === 0) return null;
  const height = (count: number): number =>
    count === 0 ? 0 : Math.max(2, Math.round((count / highest) * 40));
  return (
    <figure class="histogram">
      <figcaption>
        {say('Requests a minute, of the half hour up to the newest; at most {n}', { n: highest })}
      </figcaption>
      <svg
        viewBox={`0 0 ${maxBars * 10} 40`}
        preserveAspectRatio="none"
        role="group"
        aria-label={say('Requests a minute')}
      >
        {counted.map(([count, failed], at) => {
          if (count === 0) return null;
          const from = steps.from + at * steps.stepMs;
          const time = new Date(from).toISOString().slice(11, 16);
          const words = `${time} UTC: ${say('{n} request, {failed} failed|{n} requests, {failed} failed', { n: count, failed })}`;
          const change = { from: String(from), to: String(from + steps.stepMs - 1), page: '' };
          return (
            <a href={links.list({ ...filters, ...change })}>
              <title>{words}</title>
              <path class="hit" d={`M${at * 10} 0h10v40h-10`} />
              <path class="all" d={`M${at * 10 + 1} ${40 - height(count)}h8V40h-8`} />
              {failed > 0 && (
                <path class="bad" d={`M${at * 10 + 1} ${40 - height(count)}h8v${height(failed)}h-8`} />
              )}
            </a>
          );
        })}
      </svg>
    </figure>
  );
}
