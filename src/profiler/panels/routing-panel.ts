import type { EditorLinker } from '#errors';
import type { MatchTrace, TraceRow } from '#routing';
import type { RecordedController, RecordedRoute } from '../model/profile-record.js';
import type { Block, Finding, Row, Tone, Value } from './blocks/block.js';
import { plural, shortPath } from './blocks/format.js';
import { icons } from './blocks/icons.js';
import type { Panel } from './panel.js';

/** Which route answered, with which parameters, and what stood against the others, as it was at the time. */
export const routingPanel: Panel = {
  id: 'routing',
  title: 'Routing',
  icon: icons.routing,
  badge: ({ route }) => (route === null ? undefined : 'plain'),
  show: ({ route, controller }, { editor }) =>
    route === null
      ? [note('neutral', 'Routing was not reached.')]
      : [
          ...(route.name === null ? missBlocks(route) : [matchBlock(route)]),
          ...(controller === null ? [] : [controllerSection(controller, editor)]),
          ...(route.trace === null
            ? [note('neutral', 'No trace of the matching was taken for this request.')]
            : traceBlocks(route.trace)),
        ],
};

function missBlocks({ allow }: RecordedRoute): readonly Block[] {
  if (allow.length === 0) return [note('warn', 'No route has this path.')];
  return [note('warn', `The path has routes, but under other methods only: ${allow.join(', ')}.`)];
}

function matchBlock(route: RecordedRoute): Block {
  const parameters = route.parameters.map(({ name, value }): readonly [string, Value] => [
    `{${name}}`,
    { text: '', picture: value },
  ]);
  return {
    kind: 'pairs',
    label: 'Matched route',
    empty: '',
    pairs: [['Route', mono(route.name ?? '')], ['Path', mono(route.path ?? '')], ...parameters],
  };
}

function controllerSection(controller: RecordedController, editor: EditorLinker): Block {
  return {
    kind: 'section',
    title: 'Controller',
    blocks: [
      {
        kind: 'pairs',
        label: 'Controller',
        empty: '',
        pairs: [
          ['Function', mono(controller.name)],
          ...placeOf(controller, editor),
          ...controller.arguments.map(({ name, value }): readonly [string, Value] => [
            `Argument ${name}`,
            { text: '', picture: value },
          ]),
        ],
      },
    ],
  };
}

/** Where its route is declared: `app.get(…)` or the decorator, which mostly stand beside the function itself. */
function placeOf(
  { file, line }: RecordedController,
  editor: EditorLinker,
): readonly (readonly [string, Value])[] {
  if (file === null) return [];
  const href = editor(file, line ?? 1, 1)?.href;
  const text = line === null ? shortPath(file) : `${shortPath(file)}:${line}`;
  return [['Declared at', { text, mono: true, ...(href === undefined ? {} : { href }) }]];
}

function traceBlocks(trace: MatchTrace): readonly Block[] {
  const near = trace.nearMisses.map((miss): Finding => ({
    tone: 'info',
    title: `Did you mean ${miss.path}?`,
    detail: `Route ${miss.name}`,
  }));
  const rest = plural(trace.omitted, 'further route', 'further routes');
  return [
    ...(near.length === 0 ? [] : [{ kind: 'findings', findings: near } satisfies Block]),
    {
      kind: 'section',
      title: 'How the route was found',
      blocks: [
        {
          kind: 'pairs',
          label: 'What was matched',
          empty: '',
          pairs: [
            ['Method', mono(trace.method)],
            ['Path', mono(trace.path)],
            ['Scheme', mono(trace.scheme)],
            ['Host', mono(trace.host)],
            ['Outcome', trace.outcome],
          ],
        },
        {
          kind: 'table',
          caption: 'Routes in the order in which they were tried',
          columns: [{ label: 'Match' }, { label: 'Route' }, { label: 'Path' }, { label: 'Why' }],
          rows: trace.rows.map(traceRow),
          empty: 'There are no routes.',
        },
        ...(trace.omitted === 0 ? [] : [note('neutral', `The path of ${rest} did not match.`)]),
      ],
    },
  ];
}

const LEVELS: Readonly<Record<TraceRow['level'], { readonly words: string; readonly tone: Tone }>> = {
  match: { words: 'yes', tone: 'ok' },
  almost: { words: 'almost', tone: 'warn' },
  no: { words: 'no', tone: 'neutral' },
};

function traceRow(row: TraceRow): Row {
  const { words, tone } = LEVELS[row.level];
  const muted = row.level === 'no';
  return {
    tone,
    cells: [
      { text: words, tone, muted },
      { text: row.name, mono: true, muted },
      { text: row.path, mono: true, muted },
      { text: row.reason, muted },
    ],
  };
}

function mono(text: string): Value {
  return { text, mono: true };
}

function note(tone: Tone, text: string): Block {
  return { kind: 'note', tone, text };
}
