import { say } from '#phrases';
import type { EditorLinker } from '#errors';
import type { MatchTrace, TraceRow } from '#routing';
import type { RecordedController, RecordedRoute } from '../model/profile-record.js';
import type { Block, Tone, Value } from './blocks/block.js';
import { shortPath } from '../words/format.js';
import {
  column,
  ifPresent,
  mono,
  note,
  type Pair,
  pairsOf,
  pictureValue,
  compact,
  section,
  table,
  warning,
} from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

/** The matched route with its parameters, and why other routes did not match, as recorded. */
export const routingPanel: Panel = {
  id: 'routing',
  title: 'Routing',
  badge: ({ route }) => (route === null ? undefined : 'plain'),
  show: ({ route, controller }, { editor }) =>
    route === null
      ? [note('Routing was not reached.')]
      : [
          ...(route.name === null ? missBlocks(route) : [matchBlock(route)]),
          ...ifPresent(controller, (called) => controllerSection(called, editor)),
          ...(route.trace === null
            ? [note('No trace of the matching was taken for this request.')]
            : traceBlocks(route.trace)),
        ],
};

function missBlocks({ allow }: RecordedRoute): readonly Block[] {
  if (allow.length === 0) return [warning('No route has this path.')];
  return [
    note(
      say('The path has routes, but under other methods only: {methods}.', { methods: allow.join(', ') }),
      'warn',
    ),
  ];
}

function matchBlock(route: RecordedRoute): Block {
  return pairsOf('Matched route', [
    ['Route', mono(route.name ?? '')],
    ['Path', mono(route.path ?? '')],
    ...route.parameters.map(({ name, value }): Pair => [`{${name}}`, pictureValue(value)]),
  ]);
}

function controllerSection(controller: RecordedController, editor: EditorLinker): Block {
  return section(
    'Controller',
    pairsOf('Controller', [
      ['Function', mono(controller.name)],
      ['Declared at', placeOf(controller, editor)],
      ...controller.arguments.map(({ name, value }): Pair => [
        say('Argument {name}', { name }),
        pictureValue(value),
      ]),
    ]),
  );
}

/** Returns where the route is declared: `app.get(…)` or the decorator, usually next to the controller itself. */
function placeOf({ file, line }: RecordedController, editor: EditorLinker): Value | undefined {
  if (file === null) return undefined;
  const text = line === null ? shortPath(file) : `${shortPath(file)}:${line}`;
  return { ...mono(text), ...editor(file, line ?? 1, 1) };
}

function traceBlocks(trace: MatchTrace): readonly Block[] {
  const rest = say('{n} further route|{n} further routes', { n: trace.omitted });
  const others = trace.rows.filter(({ level, name }) => level === 'no' && !name.startsWith('_profiler'));
  const othersTable = routeTable('Other routes in the order in which they were tried', others);
  return [
    ...compact<Block>(
      trace.nearMisses.length > 0 &&
        section(
          'Did you mean',
          pairsOf(
            'Did you mean',
            trace.nearMisses.map(({ name, path }) => [name, mono(path)]),
          ),
        ),
    ),
    section('How the route was found', [
      pairsOf('What was matched', [
        ['Method', mono(trace.method)],
        ['Path', mono(trace.path)],
        ['Host', mono(trace.host)],
        ['Outcome', trace.outcome],
      ]),
      routeTable(
        'Routes that matched or nearly did',
        trace.rows.filter(({ level }) => level !== 'no'),
        'No route comes near.',
      ),
      ...compact(
        others.length > 0 && section('Other routes', othersTable, { count: others.length, folded: true }),
      ),
      ...compact(trace.omitted > 0 && note(say('The path of {rest} did not match.', { rest }))),
    ]),
  ];
}

function routeTable(caption: string, rows: readonly TraceRow[], empty?: string): Block {
  return table(caption, rows, {
    columns: [
      column('Match', ({ level }) => {
        const { words, tone } = levelBadges[level];
        return { text: words, tone, muted: level === 'no' };
      }),
      column('Route', ({ name, level }) => ({ ...mono(name), muted: level === 'no' })),
      column('Path', ({ path, level }) => ({ ...mono(path), muted: level === 'no' })),
      column('Why', ({ reason, level }) => ({ text: reason, muted: level === 'no' })),
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
