import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { renderFragment } from '#core/html';
import { type TimeBreakdown, timeCategories } from '../../model/time-breakdown.js';
import { AxisLabels, axisEnd, Legend, percent, percentOf, RequestBar, Strip } from './request-bar.js';

const none: TimeBreakdown = {
  framework: 0,
  app: 0,
  database: 0,
  http: 0,
  rendering: 0,
  profiler: 0,
  waiting: 0,
  busy: 0,
  unaccounted: 0,
};

function barOf(breakdown: Partial<TimeBreakdown>, durationMs: number, end: number): string {
  return String(
    renderFragment(<RequestBar breakdown={{ ...none, ...breakdown }} durationMs={durationMs} end={end} />),
  );
}

describe('the end of an axis', () => {
  it('is a round number that at least nine of ten durations do not exceed', () => {
    assert.deepEqual(
      [[], [0], [1], [1.1], [2.5], [2.6], [500], [501], [999_999], [500_001], [2_000_001]].map(axisEnd),
      [1, 1, 1, 2.5, 2.5, 5, 500, 1000, 1_000_000, 1_000_000, 3_000_000],
    );
    const ten = [1, 1, 1, 1, 1, 1, 1, 1, 1, 70];
    assert.equal(axisEnd(ten), 1);
    assert.equal(axisEnd([...ten, 80]), 100); // two of eleven are longer than 1
    assert.equal(axisEnd([70, ...ten.slice(1)]), 100);
  });
});

describe("a request's bar", () => {
  it('has its kinds of work in order, side by side, and names those that took a tenth of it', () => {
    const html = barOf({ database: 50, app: 30, framework: 1, rendering: 2 }, 100, 200);
    assert.equal(
      html,
      '<svg class="req-bar" role="img"><title>your code 30.0 ms, database 50.0 ms</title>' +
        '<rect class="c-framework" width="0.5%"></rect><rect class="c-app" x="0.5%" width="15%"></rect>' +
        '<rect class="c-database" x="15.5%" width="25%"></rect><rect class="c-rendering" x="40.5%" width="1%"></rect></svg>',
    );
  });

  it('draws slivers as a part of their neighbours, and is still as long as the time', () => {
    const html = barOf({ framework: 0.2, app: 10, database: 0.3, waiting: 0.1, busy: 4 }, 14.6, 100);
    assert.match(
      html,
      /<rect class="c-app" width="10\.6%"><\/rect><rect class="c-busy" x="10\.6%" width="4%">/,
    );
    assert.match(
      barOf({ app: 0.2, database: 0.2 }, 0.4, 100),
      /<\/title><rect class="c-app" width="0\.4%"><\/rect><\/svg>/,
    );
  });

  it('omits invisible parts, and draws an unaccounted sliver solid', () => {
    assert.doesNotMatch(barOf({ app: 0.1 }, 100, 100), /<rect/);
    assert.match(barOf({ app: 0.11 }, 100, 100), /<rect class="c-app" width="0\.1%"/);
    assert.match(barOf({ unaccounted: 0.9 }, 1, 100), /class="thin"/);
    assert.match(barOf({ unaccounted: 1 }, 1, 100), /class="c-unaccounted"/);
    assert.match(barOf({ app: 0.5 }, 1, 100), /class="c-app"/);
    assert.match(barOf(none, 0, 1), /<title><\/title><\/svg>/);
  });

  it('is torn only if it is longer than the axis', () => {
    assert.doesNotMatch(barOf({ app: 100 }, 100, 100), /tear/);
    assert.match(barOf({ app: 101 }, 101, 100), /<svg x="100%" class="tears">/);
  });

  it('never exceeds the axis', () => {
    const part = fc.double({ min: 0, max: 1000, noNaN: true });
    fc.assert(
      fc.property(
        fc.tuple(part, part, part, part, part, part),
        fc.double({ min: 1, max: 1000, noNaN: true }),
        (parts, end) => {
          const breakdown = Object.fromEntries(
            timeCategories.map((kind, at) => [kind, parts[at] ?? 0]),
          ) as TimeBreakdown; // one number per category
          for (const [, x = '0', width = '0'] of barOf(breakdown, 1, end).matchAll(
            /<rect class="[\w-]+"(?: x="([\d.]+)%")? width="([\d.]+)%"/g,
          ))
            assert.ok(Number(x) + Number(width) <= 100.11, `${x} ${width}`);
        },
      ),
    );
  });
});

describe('the strip with other times', () => {
  it('has a bar for each step with times, the most frequent one highest, and a line for this request', () => {
    const html = String(renderFragment(<Strip times={[10, 10, 10, 50]} ms={100} />));
    assert.deepEqual(
      [...html.matchAll(/<rect( class="own")? x="(\d+)"(?: y="\d+")? width="\d" height="(\d+)"/g)].map(
        ([, own = '', x, height]) => [own !== '', Number(x), Number(height)],
      ),
      [
        [false, 28, 30],
        [false, 140, 10],
        [true, 286, 34],
      ],
    );
    assert.doesNotMatch(String(renderFragment(<Strip times={[0]} ms={0} />)), /NaN|Infinity/);
  });
});

describe("a bar's legend", () => {
  it('has the kinds that took more than a two-hundredth, with their share', () => {
    const html = String(
      renderFragment(
        <Legend breakdown={{ ...none, framework: 1, app: 1.01, database: 55.5 }} durationMs={200} />,
      ),
    );
    assert.deepEqual(
      [...html.matchAll(/<\/svg>([\w ]+) <strong>([^<]*)<\/strong> (\d+ %)/g)].map(([, ...found]) =>
        found.join(' '),
      ),
      ['your code 1.01 ms 1 %', 'database 55.5 ms 28 %'],
    );
  });
});

describe('axis labels', () => {
  it('are five and the end, in seconds from one second on, with three digits', () => {
    const labels = (end: number, marks?: readonly number[]): readonly (readonly string[])[] =>
      [
        ...String(
          renderFragment(
            marks === undefined ? <AxisLabels end={end} /> : <AxisLabels end={end} marks={marks} />,
          ),
        ).matchAll(/<text x="([^"]*)" y="12"(?: text-anchor="end")?>([^<]*)</g),
      ].map(([, x = '', words = '']) => [x, words]);
    assert.deepEqual(labels(999), [
      ['0%', '0'],
      ['20%', '200'],
      ['40%', '400'],
      ['60%', '599'],
      ['80%', '799'],
      ['100%', '999 ms'],
    ]);
    assert.deepEqual(labels(1000, [250]), [
      ['25%', '0.25'],
      ['100%', '1 s'],
    ]);
  });
});

describe('an axis share', () => {
  it('is rounded, and 0 if not a number', () => {
    assert.deepEqual([0.12345, 1 / 3, Number.NaN, Infinity].map(percentOf), ['12.35%', '33.33%', '0%', '0%']);
    assert.deepEqual([12.34, 12.36].map(percent), ['12.3%', '12.4%']);
  });
});
