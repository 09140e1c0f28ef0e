import type { FactReader, FactWriter } from './fact-list.js';
import {
  isNamed,
  type RawBody,
  type RawLog,
  type RawRecord,
  type TakenContext,
  type TakenNamed,
  type TakenValue,
} from './raw-record.js';

/** What hardly any request has. */
type Rare = Pick<RawRecord, 'exception' | 'custom' | 'limits'> & {
  readonly trace?: NonNullable<RawRecord['route']>['trace'];
  readonly allow?: readonly string[] | undefined;
  readonly moreLogs?: NonNullable<RawRecord['logs']>['more'];
};

/** Writes a record as numbers and texts; what few requests have is JSON in a text. */
export function writeFacts(raw: RawRecord, to: FactWriter): void {
  to.number(raw.id);
  to.number(raw.sequence);
  to.number(raw.bucket === 'app' ? 0 : 1);
  to.number(raw.startedAt);
  to.number(raw.end);
  to.text(raw.method);
  to.text(raw.target);
  to.text(raw.origin);
  to.text(raw.clientAddress);
  to.text(raw.peer[0]);
  to.number(raw.peer[1]);
  to.text(raw.httpVersion);
  writeReceived(raw, to);
  const { answered } = raw;
  to.number(typeof answered === 'string' ? 1 : 0);
  if (typeof answered === 'string') to.text(answered);
  else to.list(answered);
  to.text(raw.locale);
  to.text(raw.user);
  to.text(raw.trace);
  to.text(raw.rawHead);
  writeBody(raw.body, to);
  writeSent(raw.sent, to);
  writeRoute(raw.route, to);
  writeController(raw.controller, to);
  to.number(raw.spans.length);
  for (let at = 0; at < raw.spans.length; at++) to.number(raw.spans[at] ?? 0);
  writeLogs(raw.logs?.lines, to);
  writeSections(raw.sections, to);
  to.json(rareOf(raw));
}

/** Reads the facts that `writeFacts` has written; both name the same ones in the same order. */
export function readFacts(from: FactReader): RawRecord {
  return {
    id: from.number(),
    sequence: from.number(),
    bucket: from.number() === 0 ? 'app' : 'profiler',
    startedAt: from.number(),
    end: from.number(),
    method: from.text() ?? '',
    target: from.text() ?? '',
    origin: from.text() ?? '',
    clientAddress: from.text() ?? '',
    peer: [from.text() ?? '', from.number()],
    httpVersion: from.text() ?? '',
    received: readReceived(from),
    answered: from.number() === 1 ? (from.text() ?? '') : from.list(),
    locale: from.text(),
    user: from.text(),
    trace: from.text(),
    rawHead: from.text(),
    body: readBody(from),
    sent: readSent(from),
    ...withRare({
      route: readRoute(from),
      controller: readController(from),
      spans: from.many(() => from.number()),
      logs: readLogs(from),
      sections: readSections(from),
      rare: from.json() as Rare | undefined, // written by `writeFacts`
    }),
  };
}

function rareOf({ exception, custom, limits, route, logs }: RawRecord): Rare | undefined {
  const trace = route?.trace;
  const allow = route?.allow;
  const moreLogs = logs?.more;
  const isUsual =
    exception === undefined &&
    custom === undefined &&
    limits === undefined &&
    trace === undefined &&
    allow === undefined &&
    moreLogs === undefined;
  return isUsual ? undefined : { exception, custom, limits, trace, allow, moreLogs };
}

type WithoutRare = Pick<RawRecord, 'route' | 'controller' | 'spans' | 'logs' | 'sections'>;

function withRare({
  route,
  logs,
  rare = {},
  ...rest
}: WithoutRare & { readonly rare: Rare | undefined }): WithoutRare &
  Pick<RawRecord, keyof Rare & keyof RawRecord> {
  const { trace, allow, moreLogs: more, ...others } = rare;
  return { ...rest, ...others, route: route && { ...route, trace, allow }, logs: logs && { ...logs, more } };
}

function writeReceived({ received, receivedNames }: RawRecord, to: FactWriter): void {
  to.text(receivedNames);
  if (receivedNames === undefined) to.list(received);
  else for (let at = 1; at < received.length; at += 2) to.text(received[at]);
}

function readReceived(from: FactReader): string[] {
  const names = from.text();
  return names === undefined ? from.list() : names.split('\n').flatMap((name) => [name, from.text() ?? '']);
}

function writeBody(body: RawBody | undefined, to: FactWriter): void {
  to.text(body?.content);
  if (body === undefined) return;
  to.number(body.bytes);
  to.number((body.isBytes === true ? 1 : 0) + (body.isUnread === true ? 2 : 0));
}

function readBody(from: FactReader): RawBody | undefined {
  const content = from.text();
  if (content === undefined) return undefined;
  const bytes = from.number();
  const flags = from.number();
  return {
    content,
    bytes,
    isBytes: (flags & 1) === 0 ? undefined : true,
    isUnread: (flags & 2) === 0 ? undefined : true,
  };
}

function writeSent(sent: RawRecord['sent'], to: FactWriter): void {
  to.number(sent === undefined ? -1 : sent.status);
  if (sent === undefined) return;
  to.number(sent.bodyBytes);
  to.number(sent.completed ? 1 : 0);
  writeBody(sent.body, to);
}

function readSent(from: FactReader): RawRecord['sent'] {
  const status = from.number();
  if (status === -1) return undefined;
  return { status, bodyBytes: from.number(), completed: from.number() === 1, body: readBody(from) };
}

function writeRoute(route: RawRecord['route'], to: FactWriter): void {
  to.number(route === undefined ? -1 : route.isUntraced === true ? 1 : 0);
  if (route === undefined) return;
  to.text(route.name ?? undefined);
  to.text(route.path ?? undefined);
  writeNamed(route.parameters, to);
}

function readRoute(from: FactReader): RawRecord['route'] {
  const flag = from.number();
  if (flag === -1) return undefined;
  return {
    name: from.text() ?? null,
    path: from.text() ?? null,
    parameters: from.many(() => readNamed(from)),
    isUntraced: flag === 1 ? true : undefined,
  };
}

function writeController(controller: RawRecord['controller'], to: FactWriter): void {
  to.text(controller?.name);
  if (controller === undefined) return;
  to.text(controller.file);
  to.number(controller.line ?? 0);
  writeNamed(controller.arguments, to);
}

function readController(from: FactReader): RawRecord['controller'] {
  const name = from.text();
  if (name === undefined) return undefined;
  const file = from.text();
  const line = from.number() || undefined;
  return { name, file, line, arguments: from.many(() => readNamed(from)) };
}

/** What a taken value is; a picture is JSON, but for that of an object of which only the class is shown. */
const valueKind = { undefined: 0, null: 1, false: 2, true: 3, number: 4, string: 5, opaque: 6, picture: 7 };

function writeNamed(list: readonly TakenNamed[], to: FactWriter): void {
  to.number(list.length);
  for (let at = 0; at < list.length; at++) {
    to.text(list[at]?.name);
    writeValue(list[at]?.value, to);
  }
}

function writeValue(value: TakenValue, to: FactWriter): void {
  if (typeof value === 'string') {
    to.number(valueKind.string);
    to.text(value);
  } else if (typeof value === 'number') {
    to.number(valueKind.number);
    to.number(value);
  } else if (value === undefined) to.number(valueKind.undefined);
  else if (typeof value === 'boolean') to.number(value ? valueKind.true : valueKind.false);
  else if (value === null) to.number(valueKind.null);
  else if (value.cut === 'depth' && Object.keys(value).length === 3 && value.type === 'object') {
    to.number(valueKind.opaque);
    to.text(value.text);
  } else {
    to.number(valueKind.picture);
    to.json(value);
  }
}

function readNamed(from: FactReader): TakenNamed {
  return { name: from.text() ?? '', value: readValue(from) };
}

function readValue(from: FactReader): TakenValue {
  switch (from.number()) {
    case valueKind.null:
      return null;
    case valueKind.false:
      return false;
    case valueKind.true:
      return true;
    case valueKind.number:
      return from.number();
    case valueKind.string:
      return from.text();
    case valueKind.opaque:
      return { type: 'object', text: from.text() ?? '', cut: 'depth' };
    case valueKind.picture:
      return from.json() as TakenValue; // written by `writeValue`
    default:
      return undefined;
  }
}

function writeLogs(lines: readonly RawLog[] | undefined, to: FactWriter): void {
  to.number(lines === undefined ? -1 : lines.length);
  if (lines === undefined) return;
  for (const [level, channel, message, offsetMs, context] of lines) {
    to.number(level);
    to.text(channel);
    to.text(message);
    to.number(offsetMs);
    writeContext(context, to);
  }
}

function readLogs(from: FactReader): RawRecord['logs'] {
  const count = from.number();
  if (count === -1) return undefined;
  const lines: RawLog[] = [];
  while (lines.length < count)
    lines.push([from.number(), from.text() ?? '', from.text() ?? '', from.number(), readContext(from)]);
  return { lines };
}

const contextKind = { none: 0, named: 1, picture: 2 };

function writeContext(context: TakenContext | undefined, to: FactWriter): void {
  if (context === undefined) return to.number(contextKind.none);
  to.number(isNamed(context) ? contextKind.named : contextKind.picture);
  if (isNamed(context)) writeNamed(context, to);
  else to.json(context);
}

function readContext(from: FactReader): TakenContext | undefined {
  const kind = from.number();
  if (kind === contextKind.none) return undefined;
  return kind === contextKind.named ? from.many(() => readNamed(from)) : (from.json() as TakenContext); // written above
}

/** Sections that are a text are written as they are. */
function writeSections(sections: RawRecord['sections'], to: FactWriter): void {
  to.number(sections === undefined ? -1 : sections.length);
  if (sections === undefined) return;
  for (const [name, data] of sections) {
    to.text(name);
    to.number(typeof data === 'string' ? 1 : 0);
    if (typeof data === 'string') to.text(data);
    else to.json(data);
  }
}

function readSections(from: FactReader): RawRecord['sections'] {
  const count = from.number();
  if (count === -1) return undefined;
  const sections: [string, unknown][] = [];
  while (sections.length < count)
    sections.push([from.text() ?? '', from.number() === 1 ? from.text() : from.json()]);
  return sections;
}
