import type { EditorLinker } from '#core/errors';
import type { MatchTrace, TraceRow } from '#core/routing';
import type { RecordedController, RecordedRoute } from '../../model/profile-record.js';
import type { Block, Blocks, Pair, Tone, Value } from '../../view/block.js';
import { shortPath } from '../../model/formatting.js';
import { blocksOf, furtherItems, note, section, warning } from '../../view/make-blocks.js';
import { pairSection, pairsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, snapshotValue } from '../../view/make-values.js';
import type { Panel } from '../panel.js';

/** The matched route with its parameters, and why other routes did not match, as recorded. */
export const routingPanel: Panel = {
  id: 'routing',
  title: 'Routing',
  group: 'request',
  badge: ({ route }) => (route === null ? undefined : 'plain'),
  show: ({ route, controller }, { editor }) =>
    route === null
      ? [note('Routing was not reached.')]
      : blocksOf(
          route.name !== null
            ? matchBlock(route)
            : warning(
                route.allow.length === 0
                  ? 'No route has this path.'
                  : `The path is answered with other methods only: ${route.allow.join(', ')}.`,
              ),
          controller && controllerSection(controller, editor),
          route.trace !== null && traceBlocks(route.trace),
        ),
};

function matchBlock(route: RecordedRoute): Block {
  return pairsOf('Matched route', [
    ['Route', mono(route.name ?? '')],
    ['Path', mono(route.path ?? '')],
    ...route.parameters.map(({ name, value }): Pair => [`{${name}}`, snapshotValue(value)]),
  ]);
}

function controllerSection(controller: RecordedController, editor: EditorLinker): Block {
  return pairSection('Controller', [
    ['Function', mono(controller.name)],
    ['Declared at', locationTextOf(controller, editor)],
    ...controller.arguments.map(({ name, value }): Pair => [`Argument ${name}`, snapshotValue(value)]),
  ]);
}

/** Returns where the route is declared: `app.get(…)` or the decorator, usually next to the controller itself. */
function locationTextOf({ file, line }: RecordedController, editor: EditorLinker): Value | undefined {
  if (file === null) return undefined;
  const text = line === null ? shortPath(file) : `${shortPath(file)}:${line}`;
  return { ...mono(text), ...editor(file, line ?? 1, 1) };
}

function traceBlocks(trace: MatchTrace): Blocks {
  const near = trace.rows.filter(({ level }) => level !== 'no');
  const others = trace.rows.filter(({ level, name }) => level === 'no' && !name.startsWith('_profiler'));
  const count = others.length + trace.omitted;
  return [
    trace.nearMisses.length > 0 &&
      pairSection(
        'Did you mean',
        trace.nearMisses.map(({ name, path }) => [name, mono(path)]),
      ),
    section('How the route was found', [
      pairsOf('What was matched', [
        ['Method', mono(trace.method)],
        ['Path', mono(trace.path)],
        ['Host', mono(trace.host)],
        ['Outcome', trace.outcome],
      ]),
      routeTable('Routes that matched or nearly did', near, 'No route has this path.'),
      others.length > 0 &&
        section('Other routes', routeTable('Other routes in the order in which they were tried', others), {
          count,
          folded: true,
        }),
      furtherItems(
        trace.omitted,
        'The path of {n} further route did not match.|The path of {n} further routes did not match.',
      ),
    ]),
  ];
}

function routeTable(caption: string, rows: readonly TraceRow[], empty?: string): Block {
  return table(caption, rows, {
    columns: [
      column.plain('Match', ({ level }) => {
        const { words, tone } = levelBadges[level];
        return { text: words, tone, muted: level === 'no' };
      }),
      column.plain('Route', ({ name, level }) => ({ ...mono(name), muted: level === 'no' })),
      column.plain('Path', ({ path, level }) => ({ ...mono(path), muted: level === 'no' })),
      column.plain('Why', ({ reason, level }) => ({ text: reason, muted: level === 'no' })),
    ],
    row: ({ level }) => ({ tone: levelBadges[level].tone }),
    ...(empty === undefined ? {} : { empty }),
  });
}

const levelBadges: Readonly<Record<TraceRow['level'], { readonly words: string; readonly tone: Tone }>> = {
  match: { words: 'yes', tone: 'ok' },
  almost: { words: 'almost', tone: 'warn' },
  no: { words: 'no', tone: 'neutral' },
};
