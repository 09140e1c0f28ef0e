import { say } from '#core/phrases';
import { findRecordedError } from '../../model/recorded-error.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { categoryWords } from '../../model/time-breakdown.js';
import type { Block, Tone, Value } from '../../view/block.js';
import { blocksOf, furtherItems, line, section } from '../../view/make-blocks.js';
import { column, type Column, table } from '../../view/make-tables.js';
import { muted } from '../../view/make-values.js';
import { describeMessages, listed, type MessageDifferences } from './compare-messages.js';
import {
  type Change,
  type Comparison,
  describeRatio,
  type Part,
  type QueryChange,
} from './compare-records.js';
import { describeSteps, stepText, type StepRow } from './compare-steps.js';
import type { NamedDifference } from './compare-values.js';

/** Maximum differing values, rows of steps before and after the first difference, and queries. */
const maxValues = 20;
const stepsBefore = 3;
const stepsAfter = 8;
const maxQueries = 12;
const maxSqlLength = 300;

/**
 * Renders a comparison: differences in the requests, where the steps diverge, and the time. The outcome is in the
 * page's header.
 */
export function comparisonBlocks(comparison: Comparison): readonly Block[] {
  return blocksOf(
    sentSection(comparison),
    stepsSection(comparison),
    timeSection(comparison),
    queriesSection(comparison),
  );
}

/** Renders the differences between the responses, for the end of a comparison; undefined if there are none. */
export function answeredSection(comparison: Comparison): Block | undefined {
  const { answered } = comparison;
  if (answered.differences.length === 0) return undefined;
  return section('Response', [valuesTable('Response', answered, comparison), notesOf(answered)], {
    folded: true,
  });
}

function sentSection(comparison: Comparison): Block {
  const { sent } = comparison;
  const title = 'Differences in the request';
  const hint = describeMessages(sent);
  if (sent.differences.length === 0)
    return section(title, [line('No recorded value differs.'), notesOf(sent)], { hint });
  return section(title, [valuesTable(title, sent, comparison), notesOf(sent)], { hint });
}

function valuesTable(
  title: string,
  { differences }: MessageDifferences,
  comparison: Comparison,
): readonly Block[] {
  const [was, is] = comparison.names;
  const [wasTone, isTone] = tonesOf(comparison);
  const parts = new Set(differences.map(({ part }) => part));
  const nameOf = ({ part, name }: NamedDifference): string =>
    parts.size === 1 || part === name ? name : `${part}: ${name}`;
  const value = (text: string | null, tone: Tone): Value =>
    text === null ? muted('not sent') : { text, mono: true, tone };
  return blocksOf(
    table(title, differences.slice(0, maxValues), {
      columns: [
        column.plain<NamedDifference>('Name', (one) => ({ text: nameOf(one), mono: true, muted: true })),
        column.plain<NamedDifference>(was, ({ before }) => value(before, wasTone)),
        column.plain<NamedDifference>(is, ({ after }) => value(after, isTone)),
      ],
    }),
    furtherItems(
      differences.length - maxValues,
      '{n} further value differs.|{n} further values differ.',
      line,
    ),
  );
}

/** Returns the two sides' tints, which mean worked and failed; neutral if both ended alike. */
function tonesOf({ failed }: Comparison): readonly [before: Tone, after: Tone] {
  if (failed === undefined) return ['info', 'info'];
  return failed === 'after' ? ['ok', 'error'] : ['error', 'ok'];
}

/** Names omitted differences, and values that cannot be compared. */
function notesOf({ leftOut, unknown }: MessageDifferences): readonly Block[] {
  const words = { n: leftOut.length, names: leftOut.slice(0, maxValues).join(', ') };
  const hidden = { n: unknown.length, names: listed(unknown.slice(0, maxValues)) };
  return blocksOf(
    leftOut.length > 0 &&
      line(say('{n} difference left out: {names}|{n} differences left out: {names}', words)),
    unknown.length > 0 &&
      line(
        say(
          '{n} value is hidden or not recorded whole, and cannot be compared: {names}|{n} values are hidden or not recorded whole, and cannot be compared: {names}',
          hidden,
        ),
      ),
  );
}

function stepsSection(comparison: Comparison): Block | undefined {
  const { steps, names } = comparison;
  const { rows, first } = steps;
  if (rows.length === 0) return undefined;
  const title = 'Where they diverge';
  const hint = describeSteps(steps);
  if (first === undefined) return section(title, line(endOfSame(comparison)), { hint });
  const from = Math.max(0, first - stepsBefore);
  const shown = rows.slice(from, first + stepsAfter);
  const [wasTone, isTone] = tonesOf(comparison);
  const cell = (step: StepRow['before'], { isSame }: StepRow, tone: Tone): Value => {
    const text = stepText(step);
    const look = isSame ? { muted: true } : { tone };
    return text === '' ? muted('–') : { text, mono: true, isLine: true, ...look };
  };
  const earlier = '{n} step before, the same in both.|{n} steps before, the same in both.';
  const later =
    '{n} further row of steps is on the Time panels.|{n} further rows of steps are on the Time panels.';
  return section(
    title,
    [
      furtherItems(from, earlier, line),
      table(title, shown, {
        columns: [
          column.plain<StepRow>(names[0], (row) => cell(row.before, row, wasTone)),
          column.plain<StepRow>(names[1], (row) => cell(row.after, row, isTone)),
        ],
      }),
      furtherItems(rows.length - from - shown.length, later, line),
    ],
    { hint },
  );
}

function endOfSame({ pair, failed }: Comparison): string {
  const record = failed === 'before' ? pair[0] : failed === 'after' ? pair[1] : undefined;
  const place = record === undefined ? null : (findRecordedError(record)?.location ?? null);
  return place === null
    ? 'No recorded step differs.'
    : `No recorded step differs: the error was thrown at ${place}.`;
}

function timeSection({ parts, pair, names }: Comparison): Block | undefined {
  if (parts.length === 0) return undefined;
  const [before, after] = pair;
  const longest = Math.max(...parts.map((part) => Math.max(part.before, part.after)), 0.001);
  const [was, is, difference] = changeColumns(names, formatMilliseconds);
  const bar: Column<Part> = {
    ...column.minor<Part>('Change', (one) => ({
      text: describeRatio(one.before, one.after),
      category: one.category,
      change: { before: one.before / longest, after: one.after / longest },
    })),
    grow: true,
  };
  const part = column.plain<Part>('Part', ({ category }) => ({ text: categoryWords[category], category }));
  const delta = after.durationMs - before.durationMs;
  const hint = `${signed(delta, formatMilliseconds)}, ${describeRatio(before.durationMs, after.durationMs)}`;
  return section('Time', table('Time', parts, { columns: [part, was, is, bar, difference] }), {
    hint: hint.replace(/, $/, ''),
  });
}

/** Lists queries that one record ran more often. A single additional one is already shown among the steps. */
function queriesSection({ queries, names, steps }: Comparison): Block | undefined {
  const isSmall = queries.every(({ before, after }) => Math.abs(after - before) <= 1);
  if (queries.length === 0 || (isSmall && steps.rows.length > 0)) return undefined;
  const count = (n: number): string => String(n);
  return section(
    'Queries',
    [
      table('Queries', queries.slice(0, maxQueries), {
        columns: [
          column.wide<QueryChange>('Query', ({ sql }) => ({
            text: sql.slice(0, maxSqlLength),
            mono: true,
            isLine: true,
          })),
          ...changeColumns(names, count, 2),
        ],
      }),
      furtherItems(
        queries.length - maxQueries,
        '{n} further query differs.|{n} further queries differ.',
        line,
      ),
    ],
    { hint: 'that one ran more often than the other' },
  );
}

/**
 * Returns columns for a number in both records and its difference, shown in red if it rose by more than `tolerated`.
 */
function changeColumns(
  [was, is]: Comparison['names'],
  format: (value: number) => string,
  tolerated = Infinity,
): readonly [Column<Change>, Column<Change>, Column<Change>] {
  return [
    column.number<Change>(was, ({ before }) => muted(format(before))),
    column.number<Change>(is, ({ after }) => format(after)),
    column.number<Change>('Difference', ({ before, after }) => {
      if (before === after) return muted('same');
      const text = signed(after - before, format);
      return after - before > tolerated ? { text, tone: 'error' } : text;
    }),
  ];
}

/** Formats a difference with its sign. */
export function signed(value: number, format: (value: number) => string): string {
  return `${value < 0 ? '−' : '+'}${format(Math.abs(value))}`;
}
