import { type Phrase, say } from '../words/say.js';
import type { EditorLinker } from '#errors';
import type { MatchTrace, TraceRow } from '#routing';
import type { RecordedController, RecordedRoute } from '../model/profile-record.js';
import type { Block, Finding, Tone, Value } from './blocks/block.js';
import { shortPath } from '../words/format.js';
import { icons } from './blocks/icons.js';
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
  icon: icons.routing,
  badge: ({ route }) => (route === null ? undefined : 'plain'),
  show: ({ route, controller }, { editor }) =>
    route === null
      ? [note(say('Routing was not reached.'))]
      : [
          ...(route.name === null ? missBlocks(route) : [matchBlock(route)]),
          ...ifPresent(controller, (called) => controllerSection(called, editor)),
          ...(route.trace === null
            ? [note(say('No trace of the matching was taken for this request.'))]
            : traceBlocks(route.trace)),
        ],
};

function missBlocks({ allow }: RecordedRoute): readonly Block[] {
  if (allow.length === 0) return [warning(say('No route has this path.'))];
  return [
    note(
      say('The path has routes, but under other methods only: {methods}.', { methods: allow.join(', ') }),
      'warn',
    ),
  ];
}

function matchBlock(route: RecordedRoute): Block {
  return pairsOf(say('Matched route'), [
    [say('Route'), mono(route.name ?? '')],
    [say('Path'), mono(route.path ?? '')],
    ...route.parameters.map(({ name, value }): Pair => [`{${name}}`, pictureValue(value)]),
  ]);
}

function controllerSection(controller: RecordedController, editor: EditorLinker): Block {
  return section(
    say('Controller'),
    pairsOf(say('Controller'), [
      [say('Function'), mono(controller.name)],
      [say('Declared at'), placeOf(controller, editor)],
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
  const near = trace.nearMisses.map((miss): Finding => ({
    tone: 'info',
    title: say('Did you mean {path}?', { path: miss.path }),
    detail: `${say('Route')} ${miss.name}`,
  }));
  const rest = say('{n} further route|{n} further routes', { n: trace.omitted });
  return [
    ...compact<Block>(near.length > 0 && { kind: 'findings', findings: near }),
    section(say('How the route was found'), [
      pairsOf(say('What was matched'), [
        [say('Method'), mono(trace.method)],
        [say('Path'), mono(trace.path)],
        [say('Scheme'), mono(trace.scheme)],
        [say('Host'), mono(trace.host)],
        [say('Outcome'), trace.outcome],
      ]),
      table(say('Routes in the order in which they were tried'), trace.rows, {
        columns: [
          column('Match', ({ level }) => {
            const { words, tone } = levelBadges[level];
            return { text: say(words), tone, muted: level === 'no' };
          }),
          column('Route', ({ name, level }) => ({ ...mono(name), muted: level === 'no' })),
          column('Path', ({ path, level }) => ({ ...mono(path), muted: level === 'no' })),
          column('Why', ({ reason, level }) => ({ text: reason, muted: level === 'no' })),
        ],
        row: ({ level }) => ({ tone: levelBadges[level].tone }),
        empty: say('There are no routes.'),
      }),
      ...compact(trace.omitted > 0 && note(say('The path of {rest} did not match.', { rest }))),
    ]),
  ];
}

const levelBadges: Readonly<Record<TraceRow['level'], { readonly words: Phrase; readonly tone: Tone }>> = {
  match: { words: 'yes', tone: 'ok' },
  almost: { words: 'almost', tone: 'warn' },
  no: { words: 'no', tone: 'neutral' },
};
