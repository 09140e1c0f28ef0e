import type { MultipartSection } from '../../recording/body-parts.js';
import type { HeadersSection } from '../headers/section.js';
import { findSection } from '../define-section.js';
import {
  type ProfileRecord,
  type RecordedBody,
  type RecordedHeaders,
  type RecordedRequest,
  findHeader,
} from '../../model/profile-record.js';
import { type FactList, requestFactList, responseFactList } from '../../model/recorded-facts.js';
import { formatBytes } from '../../model/formatting.js';
import type { Block, Blocks, Pair, Value } from '../../view/block.js';
import { indentJson } from '../../view/data-blocks.js';
import { code, line, note, snapshotBlock, section, warning } from '../../view/make-blocks.js';
import { pairSection, pairsOf } from '../../view/make-facts.js';
import { column, table, tableSection } from '../../view/make-tables.js';
import { mono, muted, locationValue } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';

/** Request and response: query, bodies, cookies, headers. */
export const requestPanel: Panel = {
  id: 'request',
  title: 'Request & response',
  group: 'request',
  section: 'headers',
  badge: () => 'plain',
  show: (record, context) => [requestSection(record), responseSection(record, context)],
};

function requestSection(record: ProfileRecord): Block {
  const { request } = record;
  return section('Request', [
    pairsOf('Request', [
      ['Target', mono(request.target)],
      ['Host', mono(request.host)],
      ['Peer', mono(`${request.peer.address}:${request.peer.port}`)],
      ...factPairs(requestFactList, request),
      ['Body', sizeOfBody(request)],
    ]),
    requestBody(record),
    fieldBlocks([
      ['Query parameters', request.query],
      ['Cookies', request.cookies],
      ['Headers', request.headers],
    ]),
    request.rawHead !== undefined && code('Beginning of the raw bytes', request.rawHead),
  ]);
}

function factPairs(facts: FactList, part: Readonly<Record<string, unknown>>): readonly Pair[] {
  return facts.labelled(part).map(({ label, isCode, text }) => [label, isCode ? mono(text) : text]);
}

function requestBody(record: ProfileRecord): Blocks {
  const { request } = record;
  const { body, parsed } = request;
  if (parsed !== null || hasContent(body))
    return section('Body', [
      parsed !== null && snapshotBlock(`Read as ${parsed.format}`, parsed.value),
      partsTable(record),
      bodyBlocks(body),
    ]);
  const length = sizeOfBody(request);
  return length !== null && line(`Body not recorded: it was not read, or was read as a stream (${length}).`);
}

/** Lists a multipart body's fields and files, whose contents are not recorded. */
function partsTable(record: ProfileRecord): Block | undefined {
  const multipart = findSection<MultipartSection>(record, 'multipart', ['parts', 'more']);
  if (multipart === undefined) return undefined;
  const { parts, more } = multipart;
  return table('Fields and files of the body, in order', parts, {
    more,
    columns: [
      column.plain('Field', ({ name }) => mono(name || '–')),
      column.wide('File', ({ filename }) =>
        filename === undefined ? muted('none') : filename === '' ? muted('none chosen') : mono(filename),
      ),
      column.minor('Type', ({ type }) => (type === undefined ? muted('–') : mono(type))),
      column.number(
        'Size',
        ({ bytes, isCut }) => `${formatBytes(bytes)}${isCut === true ? ', cut off' : ''}`,
      ),
    ],
  });
}

function responseSection(record: ProfileRecord, context: PanelContext): Block {
  const { response } = record;
  if (response === null) return section('Response', warning('No response was sent.'));
  const { body, bodyBytes, completed, cookies, headers } = response;
  const cut = `The client went away, or the stream failed, after ${formatBytes(bodyBytes)} of the body: it got a cut response.`;
  const facts = factPairs(responseFactList, response);
  return section('Response', [
    !completed && warning(cut),
    facts.length > 0 && pairsOf('Response', facts),
    cookies.length > 0 &&
      tableSection('Cookies set', cookies, {
        columns: [
          column.plain('Name', ({ name }) => mono(name)),
          column.plain('Value', ({ value }) => mono(value)),
          column.plain('Attributes', ({ attributes }) =>
            mono(attributes.map(([name, value]) => (value === '' ? name : `${name}=${value}`)).join('; ')),
          ),
        ],
      }),
    fieldBlocks([['Headers', headers]]),
    writesSection(record, context),
    hasContent(body) ? section('Body', bodyBlocks(body)) : line('No body was recorded.'),
  ]);
}

/** Lists header writes in order; the last write of each name was sent. */
function writesSection(record: ProfileRecord, context: PanelContext): Block | undefined {
  const { writes } = findSection<HeadersSection>(record, 'headers', ['writes']) ?? { writes: [] };
  if (writes.length === 0) return undefined;
  return tableSection('Who set the headers, in order', writes, {
    columns: [
      column.plain('Header', ({ name }) => mono(name)),
      column.plain('Value', ({ value }) => (value === null ? muted('removed') : mono(value))),
      column.wide('Set by', (write) => writerOf(record, write, context)),
    ],
    folded: true,
  });
}

/** Names the listener or controller with its location; on other servers, the call and the package it went through. */
function writerOf(
  { controller, events }: ProfileRecord,
  { by, location, isRemembered }: HeadersSection['writes'][number],
  { editor }: PanelContext,
): Value {
  if (location !== undefined) {
    const call = locationValue(location, editor);
    const inPackage = location.file.replace(/^.*[\\/]node_modules[\\/]/, '');
    const own = by === null ? call.text : `${call.text}, through ${by}`;
    const named = inPackage === location.file ? own : `${inPackage}:${location.line}`;
    return { ...call, text: isRemembered === true ? `${named}, as before` : named };
  }
  if (by === null) {
    const { file = null, line: at } = controller ?? {};
    return file === null
      ? 'the controller'
      : locationValue({ name: 'the controller', file, line: at ?? 1, column: 1 }, editor);
  }
  const declared = events.flatMap(({ listeners }) => listeners).find(({ name }) => name === by)?.location;
  return declared === undefined ? by : locationValue({ name: by, ...declared }, editor);
}

/** Shows each part that has fields, followed by one line that names the empty parts. */
function fieldBlocks(parts: readonly (readonly [title: string, fields: RecordedHeaders])[]): Blocks {
  const empty = parts.filter(([, fields]) => fields.length === 0).map(([title]) => title);
  return [
    ...parts.map(([title, fields]) => {
      const pairs = fields.map(([name, value]) => [name, mono(value)] as const);
      return fields.length > 0 && pairSection(title, pairs, { count: fields.length });
    }),
    empty.length > 0 && line(`${empty.join(', ')}: none`),
  ];
}

/** Formats the request body's size, or the announced size if it was not recorded; null if no body was sent. */
function sizeOfBody({ body, headers }: RecordedRequest): string | null {
  if (hasContent(body)) return formatBytes(body.bytes);
  if (findHeader(headers, 'transfer-encoding') !== undefined) return 'length not announced';
  const announced = findHeader(headers, 'content-length') ?? '';
  return /^\d{1,15}$/.test(announced) && Number(announced) > 0 ? formatBytes(Number(announced)) : null;
}

function hasContent(body: RecordedBody | null): body is RecordedBody {
  return body !== null && body.bytes > 0;
}

function bodyBlocks(body: RecordedBody | null): Blocks {
  if (!hasContent(body)) return undefined;
  const { content, contentType, cut, encoding, isUnread } = body;
  const isJson = /[/+]json\b/i.test(contentType) && encoding === 'text';
  const [type, size] = [contentType || 'no content type', formatBytes(body.bytes)];
  const label = `${type}, ${cut ? `the beginning of ${size}` : size}${encoding === 'base64' ? ', as base64' : ''}`;
  return [
    isUnread === true && note(`Not read by the controller (${size} sent).`, 'info'),
    isJson && cut && note('This JSON is not parsed: only its beginning was recorded.', 'info'),
    content === ''
      ? line(`${type}: ${size}, not kept.`)
      : code(label, isJson ? indentJson(content) : content),
  ];
}
