import type { HeadersSection } from '../collectors/create-header-collector.js';
import { findSection } from '../collectors/find-section.js';
import type { ProfileRecord } from '../model/profile-record.js';
import {
  findHeader,
  type RecordedBody,
  type RecordedHeaders,
  type RecordedRequest,
  type RecordedResponse,
} from '../model/recorded-message.js';
import { formatBytes } from '../words/format.js';
import { say } from '../words/say.js';
import type { Block } from './blocks/block.js';
import { indentJson } from './blocks/indent-json.js';
import { icons } from './blocks/icons.js';
import {
  code,
  column,
  ifPresent,
  line,
  mono,
  muted,
  note,
  pairsOf,
  compact,
  section,
  tableSection,
  warning,
} from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

/** Request and response: query, bodies, cookies, headers. */
export const requestPanel: Panel = {
  id: 'request',
  title: 'Request & response',
  icon: icons.request,
  section: 'headers',
  badge: () => 'plain',
  show: (record) => [requestSection(record), responseSection(record)],
};

function requestSection({ request }: ProfileRecord): Block {
  const parts = [
    { title: say('Query parameters'), pairs: request.query },
    { title: say('Cookies'), pairs: request.cookies },
    { title: say('Headers'), pairs: request.headers },
  ];
  return section(say('Request'), [
    pairsOf(say('Request'), [
      [say('Target'), mono(request.target)],
      [say('HTTP version'), request.httpVersion],
      [say('Host'), mono(request.host)],
      [say('Client'), mono(request.clientAddress)],
      [say('Peer'), mono(`${request.peer.address}:${request.peer.port}`)],
      [say('Locale'), request.locale],
      [say('User'), request.user],
      [say('Body'), sizeOfBody(request)],
    ]),
    ...requestBody(request),
    ...fieldBlocks(parts),
    ...ifPresent(request.rawHead, (head) => code(say('Beginning of the raw bytes'), head)),
  ]);
}

function requestBody(request: RecordedRequest): readonly Block[] {
  const { body, parsed } = request;
  if (parsed === null && (body === null || body.bytes === 0)) return unreadBodyNote(request);
  const label = say('Read as {format}', { format: parsed?.format ?? '' });
  return [
    section(say('Body'), [
      ...ifPresent(parsed, ({ value }): Block => ({ kind: 'picture', label, picture: value })),
      ...bodyBlocks(body),
    ]),
  ];
}

function responseSection(record: ProfileRecord): Block {
  const { response } = record;
  const title = say('Response');
  if (response === null) return section(title, warning(say('No response was sent.')));
  const cut = say(
    'The client went away, or the stream failed, after {size} of the body: it got a cut response.',
    { size: formatBytes(response.bodyBytes) },
  );
  return section(title, [
    ...compact(!response.completed && warning(cut)),
    ...cookieBlocks(response),
    ...fieldBlocks([{ title: say('Headers'), pairs: response.headers }]),
    ...writesSection(record),
    response.body === null || response.body.bytes === 0
      ? line(say('No body was recorded.'))
      : section(say('Body'), bodyBlocks(response.body)),
  ]);
}

/** Lists the writes of headers in order; the last write of a name was sent. */
function writesSection(record: ProfileRecord): readonly Block[] {
  const kept = findSection<HeadersSection>(record, 'headers', ['writes']);
  if (kept === undefined) return [];
  return [
    tableSection(say('Who set the headers, in order'), kept.writes, {
      columns: [
        column('Header', ({ name }) => mono(name)),
        column('Value', ({ value }) => (value === null ? muted(say('removed')) : mono(value))),
        column('Set by', ({ by }) => by ?? say('the controller')),
      ],
      folded: true,
    }),
  ];
}

function cookieBlocks({ cookies }: RecordedResponse): readonly Block[] {
  if (cookies.length === 0) return [];
  return [
    tableSection(say('Cookies set'), cookies, {
      columns: [
        column('Name', ({ name }) => mono(name)),
        column('Value', ({ value }) => mono(value)),
        column('Attributes', ({ attributes }) => mono(attributesText(attributes))),
      ],
    }),
  ];
}

interface Fields {
  readonly title: string;
  readonly pairs: RecordedHeaders;
}

/** Shows each part that has fields, followed by one line that names the empty parts. */
function fieldBlocks(parts: readonly Fields[]): readonly Block[] {
  const empty = parts.filter(({ pairs }) => pairs.length === 0).map(({ title }) => title);
  return [
    ...parts
      .filter(({ pairs }) => pairs.length > 0)
      .map(({ title, pairs }) => {
        const shown = pairs.map(([name, value]) => [name, mono(value)] as const);
        return section(title, pairsOf(title, shown), { count: pairs.length });
      }),
    ...compact(empty.length > 0 && line(say('{names}: none', { names: empty.join(', ') }))),
  ];
}

/** Returns the Content-Length of the request; undefined if it is missing or invalid. */
function announcedLength({ headers }: RecordedRequest): number | undefined {
  const value = findHeader(headers, 'content-length') ?? '';
  return /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

function isChunked({ headers }: RecordedRequest): boolean {
  return findHeader(headers, 'transfer-encoding') !== undefined;
}

/** Returns the size of the request body as text; null if no body was sent. */
function sizeOfBody(request: RecordedRequest): string | null {
  if (request.body !== null && request.body.bytes > 0) return formatBytes(request.body.bytes);
  const announced = announcedLength(request) ?? 0;
  if (isChunked(request)) return say('length not announced');
  return announced === 0 ? null : formatBytes(announced);
}

function unreadBodyNote(request: RecordedRequest): readonly Block[] {
  const announced = announcedLength(request) ?? 0;
  if (announced === 0 && !isChunked(request)) return [];
  const length = announced === 0 ? say('length not announced') : formatBytes(announced);
  return [line(say('Body not recorded: it was not read, or was read as a stream ({length}).', { length }))];
}

function bodyBlocks(body: RecordedBody | null): readonly Block[] {
  if (body === null || body.bytes === 0) return [];
  const isJson = /[/+]json\b/i.test(body.contentType) && body.encoding === 'text';
  return compact<Block>(
    body.isUnread === true &&
      note(say('Not read by the controller ({size} sent).', { size: formatBytes(body.bytes) }), 'info'),
    isJson && body.cut && note(say('This JSON is not parsed: only its beginning was recorded.'), 'info'),
    codeOf(body, isJson ? indentJson(body.content) : body.content),
  );
}

function codeOf(body: RecordedBody, text: string): Block {
  const size = formatBytes(body.bytes);
  const kept = body.cut ? say('the beginning of {size}', { size }) : size;
  const form = body.encoding === 'base64' ? say(', as base64') : '';
  return { kind: 'code', label: `${body.contentType || say('no content type')}, ${kept}${form}`, text };
}

function attributesText(attributes: RecordedHeaders): string {
  return attributes.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('; ');
}
