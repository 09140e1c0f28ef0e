import { say } from '../words/say.js';
import { logAnchor } from '../findings/finding.js';
import { findingsOf } from '../findings/findings-of.js';
import type { ProfileRecord } from '../model/profile-record.js';
import { findHeader, type RecordedBody } from '../model/recorded-message.js';
import type { Block } from './blocks/block.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import { icons } from './blocks/icons.js';
import { indentJson } from './blocks/indent-json.js';
import { waterfallOf } from './waterfall.js';
import {
  column,
  numberColumn,
  wideColumn,
  line,
  mono,
  muted,
  note,
  type Pair,
  pairsOf,
  compact,
  section,
  tableSection,
} from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';

/** Maximum rows of the small waterfall. Short spans are folded below the first of `shares` that leaves at most that many. */
const maxRows = 12;
const shares = [0.02, 0.05, 0.1, 0.25];
const lastLogs = 3;
/** Characters shown of a body. */
const maxBodyLength = 400;

/** Overview: findings, a small waterfall, main facts of request and response, and the last log entries. */
export const overviewPanel: Panel = {
  id: 'overview',
  title: 'Overview',
  icon: icons.panel,
  badge: () => 'plain',
  show(record, context) {
    return [
      findingsBlock(record, context),
      ...compact(record.timeline.length !== 0 && smallWaterfall(record, context)),
      { kind: 'columns', columns: [requestBlocks(record), responseBlocks(record)] },
      ...logBlocks(record, context),
    ];
  },
};

function smallWaterfall(record: ProfileRecord, context: PanelContext): Block {
  const folded = shares.map((share) =>
    waterfallOf(record, context, { foldBelowMs: record.durationMs * share, maxRows }),
  );
  return (folded.find(({ omitted }) => omitted === 0) ?? folded.at(-1))?.block ?? line('');
}

function findingsBlock(record: ProfileRecord, context: PanelContext): Block {
  const findings = findingsOf(record).map(({ level, text, target }) => ({
    tone: level,
    title: text,
    ...(target === undefined ? {} : { href: context.linkTo(target) }),
  }));
  if (findings.length > 0) return { kind: 'findings', findings };
  return note(say('Nothing stands out.'), 'ok');
}

function requestBlocks({ request }: ProfileRecord): readonly Block[] {
  const { headers, query, body, locale, user } = request;
  const sent = findHeader(headers, 'content-length');
  const size = body === null ? sent && formatBytes(Number(sent)) : formatBytes(body.bytes);
  return [
    pairSection(say('Request'), [
      ...query.slice(0, 8).map(([name, value]): Pair => [name, mono(value)]),
      ['Content-Type', findHeader(headers, 'content-type')],
      [say('Body'), size],
      [say('User'), user],
      [say('Locale'), locale],
      ['Accept', findHeader(headers, 'accept')],
    ]),
    ...bodyBlock(say('Request body'), body),
  ];
}

function responseBlocks({ response }: ProfileRecord): readonly Block[] {
  if (response === null) return [pairSection(say('Response'), [], say('No response was sent.'))];
  const { headers, cookies, bodyBytes, body } = response;
  return [
    pairSection(say('Response'), [
      ['Content-Type', findHeader(headers, 'content-type')],
      [say('Body'), formatBytes(bodyBytes)],
      ['Location', findHeader(headers, 'location')],
      ['Cache-Control', findHeader(headers, 'cache-control')],
      [say('Cookies'), cookies.map(({ name }) => name).join(', ')],
    ]),
    ...bodyBlock(say('Response body'), body),
  ];
}

function pairSection(
  title: string,
  pairs: readonly Pair[],
  empty: string = say('Nothing but the URL and usual headers.'),
): Block {
  return section(title, pairsOf(title, pairs, empty));
}

function bodyBlock(label: string, body: RecordedBody | null): readonly Block[] {
  if (body === null || body.encoding !== 'text' || body.content === '') return [];
  const text = body.contentType.includes('json') ? indentJson(body.content) : body.content;
  const isCut = body.cut || text.length > maxBodyLength;
  return [
    {
      kind: 'code',
      label: isCut ? say('{label}, its beginning', { label }) : label,
      text: text.slice(0, maxBodyLength),
    },
  ];
}

function logBlocks({ logs, logTotals }: ProfileRecord, context: PanelContext): readonly Block[] {
  if (logs.length === 0) return [];
  const first = Math.max(0, logs.length - lastLogs);
  return [
    tableSection(say('Last log entries'), logs.slice(first), {
      columns: [
        numberColumn('After', ({ offsetMs }) => muted(formatMilliseconds(offsetMs))),
        column('Level', ({ level }) => level),
        wideColumn('Message', ({ message }, at) => ({
          text: message,
          href: context.linkTo({ panel: 'logs', anchor: logAnchor(first + at) }),
        })),
      ],
      count: logTotals.total,
    }),
  ];
}
