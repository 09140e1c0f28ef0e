import type { ProfileRecord } from '../model/profile-record.js';
import type { RecordedBody, RecordedHeaders, RecordedResponse } from '../model/recorded-message.js';
import type { Block, Value } from './block.js';
import { formatBytes } from './format.js';
import { icons } from './icons.js';
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
      { label: 'HTTP version', value: request.httpVersion },
      { label: 'request headers', value: request.headers.length },
      { label: 'request body', value: formatBytes(request.body?.bytes ?? 0) },
      { label: 'response body', value: formatBytes(response?.bodyBytes ?? 0) },
    ],
  };
}

function requestSection({ request }: ProfileRecord): Block {
  const facts: readonly (readonly [string, Value | null])[] = [
    ['Target', mono(request.target)],
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
          bodyBlock(request.body, 'No body was read.'),
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
  const title = 'Response, as the client got it';
  if (response === null)
    return {
      kind: 'section',
      title,
      blocks: [{ kind: 'note', tone: 'warn', text: 'No response has left.' }],
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
              text: 'The client went away, or the stream failed, before the end of the body.',
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
      { kind: 'section', title: 'Body', blocks: [bodyBlock(response.body, 'No body was kept.')] },
    ],
  };
}

function bodyBlock(body: RecordedBody | null, none: string): Block {
  if (body === null || body.bytes === 0) return { kind: 'note', tone: 'neutral', text: none };
  const kept = body.cut ? `the beginning of ${formatBytes(body.bytes)}` : formatBytes(body.bytes);
  const form = body.encoding === 'base64' ? ', as base64' : '';
  return {
    kind: 'code',
    label: `${body.contentType || 'no content type'}, ${kept}${form}`,
    text: body.content,
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
