import type { HeadersSection } from '../collectors/create-header-collector.js';
import { findSection } from '../collectors/define-part.js';
import {
  type ProfileRecord,
  type RecordedBody,
  type RecordedHeaders,
  type RecordedRequest,
  type RecordedResponse,
  findHeader,
} from '../model/profile-record.js';
import { formatBytes } from '../words/format.js';
import { say } from '#phrases';
import type { Block, Value } from './blocks/block.js';
import { indentJson } from './blocks/data-blocks.js';
import {
  code,
  column,
  compact,
  placeValue,
  wideColumn,
  ifPresent,
  line,
  mono,
  muted,
  note,
  pairsOf,
  section,
  tableSection,
  warning,
} from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';

/** Request and response: query, bodies, cookies, headers. */
export const requestPanel: Panel = {
  id: 'request',
  title: 'Request & response',
  section: 'headers',
  badge: () => 'plain',
  show: (record, context) => [requestSection(record), responseSection(record, context)],
};

function requestSection({ request }: ProfileRecord): Block {
  const parts = [
    { title: 'Query parameters', pairs: request.query },
    { title: 'Cookies', pairs: request.cookies },
    { title: 'Headers', pairs: request.headers },
  ];
  return section('Request', [
    pairsOf('Request', [
      ['Target', mono(request.target)],
      ['HTTP version', request.httpVersion],
      ['Host', mono(request.host)],
      ['Client', mono(request.clientAddress)],
      ['Peer', mono(`${request.peer.address}:${request.peer.port}`)],
      ['Locale', request.locale],
      ['User', request.user],
      ['Body', sizeOfBody(request)],
    ]),
    ...requestBody(request),
    ...fieldBlocks(parts),
    ...ifPresent(request.rawHead, (head) => code('Beginning of the raw bytes', head)),
  ]);
}

function requestBody(request: RecordedRequest): readonly Block[] {
  const { body, parsed } = request;
  if (parsed === null && (body === null || body.bytes === 0)) return unreadBodyNote(request);
  const label = say('Read as {format}', { format: parsed?.format ?? '' });
  return [
    section('Body', [
      ...ifPresent(parsed, ({ value }): Block => ({ kind: 'picture', label, picture: value })),
      ...bodyBlocks(body),
    ]),
  ];
}

function responseSection(record: ProfileRecord, context: PanelContext): Block {
  const { response } = record;
  const title = 'Response';
  if (response === null) return section(title, warning('No response was sent.'));
  const cut = say(
    'The client went away, or the stream failed, after {size} of the body: it got a cut response.',
    { size: formatBytes(response.bodyBytes) },
  );
  return section(title, [
    ...compact(!response.completed && warning(cut)),
    ...cookieBlocks(response),
    ...fieldBlocks([{ title: 'Headers', pairs: response.headers }]),
    ...writesSection(record, context),
    response.body === null || response.body.bytes === 0
      ? line('No body was recorded.')
      : section('Body', bodyBlocks(response.body)),
  ]);
}

/** Lists the writes of headers in order; the last write of a name was sent. */
function writesSection(record: ProfileRecord, context: PanelContext): readonly Block[] {
  const kept = findSection<HeadersSection>(record, 'headers', ['writes']);
  if (kept === undefined || kept.writes.length === 0) return [];
  return [
    tableSection('Who set the headers, in order', kept.writes, {
      columns: [
        column('Header', ({ name }) => mono(name)),
        column('Value', ({ value }) => (value === null ? muted('removed') : mono(value))),
        wideColumn('Set by', (write) => writerOf(record, write, context)),
      ],
      folded: true,
    }),
  ];
}

/** The listener or the controller with its place; for other servers the call, and the package that it went through. */
function writerOf(
  { controller, events }: ProfileRecord,
  { by, place, isRemembered }: HeadersSection['writes'][number],
  { editor }: PanelContext,
): Value {
  if (place !== undefined) {
    const call = placeValue(place, editor);
    const inPackage = place.file.replace(/^.*[\\/]node_modules[\\/]/, '');
    const named =
      inPackage !== place.file
        ? `${inPackage}:${place.line}`
        : by === null
          ? call.text
          : say('{call}, through {package}', { call: call.text, package: by });
    return { ...call, text: isRemembered === true ? say('{call}, as before', { call: named }) : named };
  }
  if (by === null) {
    const { file = null, line } = controller ?? {};
    return file === null
      ? 'the controller'
      : placeValue({ name: 'the controller', file, line: line ?? 1, column: 1 }, editor);
  }
  const declared = events.flatMap(({ listeners }) => listeners).find(({ name }) => name === by)?.place;
  return declared === undefined ? by : placeValue({ name: by, ...declared }, editor);
}

function cookieBlocks({ cookies }: RecordedResponse): readonly Block[] {
  if (cookies.length === 0) return [];
  return [
    tableSection('Cookies set', cookies, {
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
  if (isChunked(request)) return 'length not announced';
  return announced === 0 ? null : formatBytes(announced);
}

function unreadBodyNote(request: RecordedRequest): readonly Block[] {
  const announced = announcedLength(request) ?? 0;
  if (announced === 0 && !isChunked(request)) return [];
  const length = announced === 0 ? 'length not announced' : formatBytes(announced);
  return [line(say('Body not recorded: it was not read, or was read as a stream ({length}).', { length }))];
}

function bodyBlocks(body: RecordedBody | null): readonly Block[] {
  if (body === null || body.bytes === 0) return [];
  const isJson = /[/+]json\b/i.test(body.contentType) && body.encoding === 'text';
  return compact<Block>(
    body.isUnread === true &&
      note(say('Not read by the controller ({size} sent).', { size: formatBytes(body.bytes) }), 'info'),
    isJson && body.cut && note('This JSON is not parsed: only its beginning was recorded.', 'info'),
    body.content === ''
      ? line(say('{label}: {size}, not kept.', { label: typeOf(body), size: formatBytes(body.bytes) }))
      : codeOf(body, isJson ? indentJson(body.content) : body.content),
  );
}

function typeOf({ contentType }: RecordedBody): string {
  return contentType || 'no content type';
}

function codeOf(body: RecordedBody, text: string): Block {
  const size = formatBytes(body.bytes);
  const kept = body.cut ? say('the beginning of {size}', { size }) : size;
  const form = body.encoding === 'base64' ? ', as base64' : '';
  return { kind: 'code', label: `${typeOf(body)}, ${kept}${form}`, text };
}

function attributesText(attributes: RecordedHeaders): string {
  return attributes.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('; ');
}
