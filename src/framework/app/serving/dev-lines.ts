import { STATUS_CODES } from 'node:http';
import { type ErrorReport, findLeadError, type ReportedError } from '#core/errors';
import { visibleJson, visibleText } from '#core/html';

/** The facts about a request in the lines for developers. */
export interface DevEntry {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly completed: boolean;
  /** The record's URL, if one is kept. */
  readonly link: string | undefined;
  /** The thrown error, if it determined the response. */
  readonly report: ErrorReport | undefined;
  /** For a path without a route, the most similar route's path; empty if none is similar. */
  readonly nearest?: string | undefined;
  /** Why the request was slow, as one sentence. */
  readonly finding?: string | undefined;
}

/** Slower requests are highlighted and explained by their record's first finding; in milliseconds. */
export const explainedMs = 500;

/**
 * Renders a request for developers, followed by its error. With `columns`, for a terminal of that width that shows
 * colours.
 */
export function renderDevLines(entry: DevEntry, columns?: number): string {
  return columns === undefined ? renderPlain(entry) : renderColored(entry, columns);
}

/** Texts from the client are quoted, so that they cannot imitate other parts or start a new line. */
export function quoted(text: string): string {
  return /^[\w./?&=%:@+,~!$'()*;[\]-]+$/.test(text) ? text : visibleJson(JSON.stringify(text));
}

function renderPlain(entry: DevEntry): string {
  const { method, target, status, milliseconds, completed, link } = entry;
  const parts = [
    quoted(method).padEnd(6),
    quoted(target),
    status,
    `${milliseconds} ms`,
    completed ? '' : 'aborted',
    link ?? '',
  ];
  const nearest = nearestOf(entry);
  const lines = [...(nearest === '' ? [] : [nearest]), ...linesBelow(entry).map(({ text }) => text)];
  const indented = lines.map((text) => `         ${text}`);
  return `${[parts.filter((part) => part !== '').join('  '), ...indented].join('\n')}\n`;
}

interface LineBelow {
  readonly kind: 'error' | 'location' | 'outer' | 'finding';
  readonly text: string;
}

/** The lines below a request: its error, and why it was slow. */
function linesBelow(entry: DevEntry): readonly LineBelow[] {
  const finding = visibleText(entry.finding ?? '').slice(0, 500);
  return [...errorLines(entry), ...(finding === '' ? [] : [{ kind: 'finding' as const, text: finding }])];
}

/** The innermost error, its line, and the errors thrown because of it. */
function errorLines({ status, report }: DevEntry): readonly LineBelow[] {
  const lead = status >= 500 && report !== undefined ? findLeadError(report) : undefined;
  if (lead === undefined) return [];
  const { error, frame, message, outer } = lead;
  return [
    { kind: 'error', text: headOf(error, message) },
    ...(frame === undefined
      ? []
      : [{ kind: 'location' as const, text: `at ${quoted(frame.file)}:${frame.line}` }]),
    ...outer.map((one) => ({ kind: 'outer' as const, text: `as ${headOf(one, one.message)}` })),
  ];
}

function headOf({ class: name }: ReportedError, text: string): string {
  return visibleText((text === '' ? name : `${name}: ${text}`).split('\n', 1).join('').slice(0, 500));
}

const timeWidth = 9;
const minTarget = 16;
const maxColumns = 120;

/** Status, method and target in columns, then the reason for a refusal, and the token, which links to the record. */
function renderColored(entry: DevEntry, columns: number): string {
  const { status, milliseconds, completed, link } = entry;
  const width = Math.min(Math.max(columns, 40), maxColumns) - 1;
  const method = quoted(entry.method).padEnd(5).slice(0, 8);
  const token = link?.slice(link.lastIndexOf('/') + 1) ?? '';
  const free = width - 4 - method.length - 1 - timeWidth - token.length - 2;
  const note = completed ? refusalOf(entry) : 'the client left';
  const whole = quoted(entry.target);
  const usualWidth = Math.max(minTarget, Math.floor(free * 0.4));
  const mayBeWider = whole.length > usualWidth && note.length < free / 2 - 2;
  const targetWidth = mayBeWider ? Math.max(minTarget, Math.floor(free / 2)) : usualWidth;
  const target = cutMiddle(whole, targetWidth).padEnd(targetWidth);
  const time = `${milliseconds >= 100 ? Math.round(milliseconds) : milliseconds} ms`.padStart(timeWidth);
  const noteWidth = Math.max(0, free - targetWidth - 2);
  const color = status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const line = [
    paint(color, String(status)),
    ` ${method} ${target}`,
    milliseconds >= explainedMs ? paint('yellow', time) : time,
    `  ${paint('dim', cutEnd(note, noteWidth).padEnd(noteWidth))}  `,
    paint('dim', linked(token, link)),
  ];
  const below = linesBelow(entry).flatMap((one) => paintBelow(one, width));
  return `${[line.join('').trimEnd(), ...below].join('\n')}\n`;
}

/** The reason for a refusal, unless the status says it; for a path without a route, the route that may be meant. */
function refusalOf(entry: DevEntry): string {
  const { status, report, nearest } = entry;
  if (nearest !== undefined) return nearestOf(entry) || 'no route matches';
  if (report === undefined || status < 400 || status > 499) return '';
  const text = findLeadError(report)?.message.split('\n', 1).join('') ?? '';
  return text.toLowerCase() === STATUS_CODES[status]?.toLowerCase() ? '' : visibleText(text);
}

function nearestOf({ nearest = '' }: DevEntry): string {
  return nearest === '' ? '' : visibleText(`did you mean ${nearest}?`);
}

const indent = '    ';

function paintBelow({ kind, text }: LineBelow, width: number): string | readonly string[] {
  if (kind === 'finding')
    return wrap(text, width - indent.length).map((line) => indent + paint('yellow', line));
  if (kind === 'error') return `${indent}${paint('red', text)}`;
  if (kind === 'location') return `${indent}at ${paint('bold', text.slice('at '.length))}`;
  return `${indent}${text}  ${paint('dim', 'what the client got')}`;
}

function paint(format: 'red' | 'yellow' | 'green' | 'dim' | 'bold', text: string): string {
  const [open, close] = codes[format];
  return `\u001b[${open}m${text}\u001b[${close}m`;
}

/** The caller decides whether the output has colours; `styleText` would decide again. */
const codes = { red: [31, 39], yellow: [33, 39], green: [32, 39], dim: [2, 22], bold: [1, 22] } as const;

/** A hyperlink for terminals (OSC 8). The URL's host comes from the client. */
function linked(text: string, url: string | undefined): string {
  if (url === undefined || !/^https?:\/\/[\x21-\x7e]{1,500}$/.test(url)) return text;
  return `\u001b]8;;${url}\u001b\\${text}\u001b]8;;\u001b\\`;
}

/** Breaks a text between words. */
function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function cutMiddle(text: string, width: number): string {
  if (text.length <= width) return text;
  const end = Math.floor((width - 1) / 2);
  return `${text.slice(0, width - 1 - end)}…${text.slice(text.length - end)}`;
}

function cutEnd(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
}
