import type { ProfileRecord } from '../model/profile-record.js';
import type {
  RecordedBody,
  RecordedHeaders,
  RecordedRequest,
  RecordedResponse,
} from '../model/recorded-message.js';
import type { Block, Value } from './blocks/block.js';
import { formatBytes } from './blocks/format.js';
import { indentJson } from './blocks/indent-json.js';
import { icons } from './blocks/icons.js';
import type { Panel } from './panel.js';

/** What came in and what went out: query, bodies, cookies, headers. */
export const requestPanel: Panel = {
  id: 'request',
  title: 'Request & response',
  icon: icons.request,
  badge: () => 'plain',
  show: (record) => [metrics(record), requestSection(record), responseSection(record.response)],
};

function metrics({ request, response }: ProfileRecord): Block {
  return {
    kind: 'metrics',
    metrics: [
      { label: 'request body', value: sizeOfBody(request) },
      { label: 'response body', value: formatBytes(response?.bodyBytes ?? 0) },
    ],
  };
}

function requestSection({ request }: ProfileRecord): Block {
  const facts: readonly (readonly [string, Value | null])[] = [
    ['Target', mono(request.target)],
    ['HTTP version', request.httpVersion],
    ['Host', mono(request.host)],
    ['Client', mono(request.clientAddress)],
    ['Peer', mono(`${request.peer.address} port ${request.peer.port}`)],
    ['Locale', request.locale],
    ['User', request.user],
  ];
  return {
    kind: 'section',
    title: 'Request',
    blocks: [
      {
        kind: 'pairs',
        label: 'Request',
        pairs: facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
        empty: '',
      },
      fold('Query', request.query, 'No query parameters.'),
      {
        kind: 'section',
        title: 'Body',
        blocks: [
          ...(request.parsed === null
            ? []
            : [
                {
                  kind: 'pairs',
                  label: 'Parsed body',
                  pairs: [[`Read as ${request.parsed.format}`, { text: '', picture: request.parsed.value }]],
                  empty: '',
                } satisfies Block,
              ]),
          ...bodyBlocks(request.body, unreadWords(request)),
        ],
      },
      fold('Cookies', request.cookies, 'No cookies.'),
      fold('Headers', request.headers, 'No headers.'),
      ...(request.rawHead === undefined
        ? []
        : [{ kind: 'code', label: 'Beginning of the raw bytes', text: request.rawHead } satisfies Block]),
    ],
  };
}

function responseSection(response: RecordedResponse | null): Block {
  const title = 'Response';
  if (response === null)
    return {
      kind: 'section',
      title,
      blocks: [{ kind: 'note', tone: 'warn', text: 'No response was sent.' }],
    };
  return {
    kind: 'section',
    title,
    blocks: [
      ...(response.completed
        ? []
        : [
            {
              kind: 'note',
              tone: 'warn',
              text: `The client went away, or the stream failed, after ${formatBytes(response.bodyBytes)} of the body: it got a cut response.`,
            } satisfies Block,
          ]),
      {
        kind: 'section',
        title: 'Cookies set',
        count: response.cookies.length,
        blocks: [
          {
            kind: 'table',
            caption: 'Cookies set',
            columns: [{ label: 'Name' }, { label: 'Value' }, { label: 'Attributes' }],
            rows: response.cookies.map((cookie) => ({
              cells: [mono(cookie.name), mono(cookie.value), mono(attributesText(cookie.attributes))],
            })),
            empty: 'No cookies were set.',
          },
        ],
      },
      fold('Headers', response.headers, 'No headers.'),
      { kind: 'section', title: 'Body', blocks: bodyBlocks(response.body, 'No body was recorded.') },
    ],
  };
}

/** Bytes of a body that nobody read, as announced; undefined where none was. */
function announcedLength({ headers }: RecordedRequest): number | undefined {
  const [, value = ''] = headers.find(([name]) => name.toLowerCase() === 'content-length') ?? [];
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function isChunked({ headers }: RecordedRequest): boolean {
  return headers.some(([name]) => name.toLowerCase() === 'transfer-encoding');
}

function sizeOfBody(request: RecordedRequest): string {
  if (request.body !== null) return formatBytes(request.body.bytes);
  return isChunked(request) ? 'unknown' : formatBytes(announcedLength(request) ?? 0);
}

function unreadWords(request: RecordedRequest): string {
  const announced = announcedLength(request) ?? 0;
  if (announced === 0 && !isChunked(request)) return 'No body was sent.';
  const length = announced === 0 ? 'length not announced' : `${formatBytes(announced)} announced`;
  return `Body not recorded: it was not read, or was read as a stream (${length}).`;
}

function bodyBlocks(body: RecordedBody | null, none: string): readonly Block[] {
  if (body === null || body.bytes === 0) return [{ kind: 'note', tone: 'neutral', text: none }];
  const isJson = /[/+]json\b/i.test(body.contentType) && body.encoding === 'text';
  const unread = body.isUnread === true ? [unreadNote(body)] : [];
  if (!isJson) return [...unread, codeOf(body, body.content)];
  if (!body.cut) return [...unread, codeOf(body, indentJson(body.content))];
  const text = 'This JSON is not parsed: only its beginning was recorded.';
  return [...unread, { kind: 'note', tone: 'info', text }, codeOf(body, indentJson(body.content))];
}

function unreadNote({ bytes }: RecordedBody): Block {
  return { kind: 'note', tone: 'info', text: `Not read by the controller (${formatBytes(bytes)} sent).` };
}

function codeOf(body: RecordedBody, text: string): Block {
  const kept = body.cut ? `the beginning of ${formatBytes(body.bytes)}` : formatBytes(body.bytes);
  const form = body.encoding === 'base64' ? ', as base64' : '';
  return {
    kind: 'code',
    label: `${body.contentType || 'no content type'}, ${kept}${form}`,
    text,
  };
}

function fold(title: string, pairs: RecordedHeaders, empty: string): Block {
  const values = pairs.map(([name, value]) => [name, mono(value)] as const);
  return {
    kind: 'section',
    title,
    count: pairs.length,
    blocks: [{ kind: 'pairs', label: title, pairs: values, empty }],
  };
}

function mono(text: string): Value {
  return { text, mono: true };
}

function attributesText(attributes: RecordedHeaders): string {
  return attributes.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('; ');
}
