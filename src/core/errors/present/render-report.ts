import { createRedactor, type Snapshot, renderSnapshotLine, renderSnapshotText } from '#core/dump';
import { visibleText } from '#core/html';
import { say } from '#core/phrases';
import type {
  ErrorHistory,
  ErrorPageContext,
  ErrorReport,
  InputDifference,
  ReportedChain,
  ReportedError,
  ReportedFrame,
} from '../report/error-report.js';
import { statusText } from '../status/http-errors.js';
import { findHints } from './find-hints.js';

const redactor = createRedactor();

/** Renders the report for a terminal, with log and headers; control characters in foreign text are made visible. */
export function renderErrorText(report: ErrorReport, context: ErrorPageContext = {}): string {
  const { request, record } = context;
  const head = [`${report.status} ${statusText(report.status)}`, headline(report)];
  if (request !== undefined) head.push(`Request: ${request.method} ${redactor.url(request.url)}`);
  if (record !== undefined) head.push(`Record: ${record.link}`);
  const { suggestions, circumstances } = listsOf(context);
  const render = ([title, lines]: TitledLines): string[] =>
    lines.length === 0 ? [] : [`${title}:\n${textCoat.block(lines.join('\n'), 0)}\n`];
  return [
    `${head.map(visibleText).join('\n')}\n`,
    ...suggestions.flatMap(render),
    ...failureOf(context).flatMap(render),
    renderErrorTerminal(report),
    ...circumstances.flatMap(render),
  ].join('\n');
}

/** Renders the report as Markdown: foreign text is in code spans, or in fences longer than any fence it contains. */
export function renderErrorMarkdown(report: ErrorReport, context: ErrorPageContext = {}): string {
  const { request, record } = context;
  const { suggestions, circumstances } = listsOf(context);
  const parts = [
    `# ${report.status} ${statusText(report.status)}`,
    fence(headline(report), 'text'),
    request === undefined ? '' : `Request: ${codeSpan(`${request.method} ${redactor.url(request.url)}`)}`,
    ...suggestions.map(renderList),
    renderList(['Hints', findHints(report)]),
    ...failureOf(context).map(renderSection),
    '## Errors, inner first',
    ...renderChain(report, markdownCoat(3), 0),
    ...circumstances.map(renderSection),
    record === undefined ? '' : `Record: ${codeSpan(record.link)}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

type TitledLines = readonly [title: string, lines: readonly string[]];

function listsOf({ request, routing, logs = [] }: ErrorPageContext): {
  readonly suggestions: readonly TitledLines[];
  readonly circumstances: readonly TitledLines[];
} {
  const near = (routing?.didYouMean ?? []).map(({ name, path }) => `${path} (${name})`);
  const entries = logs.map(
    ({ time, level, channel, message }) =>
      `${typeof time === 'number' ? `${Math.round(time)} ms` : time} ${level} ${channel}: ${message}`,
  );
  const headers = (request?.headers ?? []).map(([name, value]) => `${name}: ${redactor.value(name, value)}`);
  return {
    suggestions: [
      ['Did you mean', near],
      ['Allowed here', routing?.allow ?? []],
    ],
    circumstances: [
      ['Log', entries],
      ['Headers', headers],
    ],
  };
}

/** Facts about the error from earlier requests, and the failed statement or call. */
function failureOf({ history, statement, call }: ErrorPageContext): readonly TitledLines[] {
  const lines: TitledLines[] = [];
  if (history !== undefined) {
    const { seen, lastGood } = history;
    const facts = [`This error: ${seen}`];
    if (lastGood !== undefined)
      facts.push(`When the route worked: ${lastGood?.text ?? 'never before, in this store'}`);
    if (lastGood)
      facts.push(`What is different: ${listWhatDiffers(lastGood).map(describeDifference).join('; ')}`);
    lines.push(['Earlier requests', facts]);
  }
  if (statement !== undefined) {
    const { sql, mark, label, values, place } = statement;
    const given = values.map(([name, value]) => `${name} = ${renderSnapshotLine(value)}`);
    lines.push([`The statement that failed`, [`${label} · ${place}`, withPointer(sql, mark), ...given]]);
  }
  if (call !== undefined)
    lines.push(['The call that failed', [`${call.request} · ${call.place}`, `Sent from ${call.site.text}`]]);
  return lines;
}

const maxDifferences = 4;

/** Lists the differences in an earlier request's input; one without sides says that there are none, or more. */
export function listWhatDiffers({
  differences,
}: NonNullable<ErrorHistory['lastGood']>): readonly InputDifference[] {
  if (differences === undefined) return [{ text: 'unknown' }];
  if (differences.length === 0) return [{ text: 'nothing recorded about the request' }];
  const more = differences.length - maxDifferences;
  return [
    ...differences.slice(0, maxDifferences),
    ...(more > 0 ? [{ text: say('… {n} more', { n: more }) }] : []),
  ];
}

/** Formats a difference as a line: `id: 8 → abc`. */
export function describeDifference({ text, sides }: InputDifference): string {
  return sides === undefined ? text : `${text}: ${sides.join(' → ')}`;
}

/** Points at part of a text with a line of carets below it. */
export function withPointer(text: string, mark?: readonly [from: number, to: number]): string {
  if (mark === undefined) return text;
  const [from, to] = mark;
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const lineEnd = text.indexOf('\n', from);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const carets = '^'.repeat(Math.max(1, Math.min(to, end) - from));
  return `${text.slice(0, end)}\n${' '.repeat(from - start)}${carets}${text.slice(end)}`;
}

function renderList([title, lines]: TitledLines): string {
  return lines.length === 0 ? '' : `${title}:\n\n${lines.map((line) => `- ${codeSpan(line)}`).join('\n')}`;
}

function renderSection([title, lines]: TitledLines): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${fence(lines.join('\n'), 'text')}`;
}

/** Renders only the error chain as Markdown, with headings at `level`. */
export function renderErrorChainMarkdown(report: ErrorReport, level: number): string {
  return renderChain(report, markdownCoat(level), 0).join('\n\n');
}

/** Renders chain and hints for a terminal or a log. */
export function renderErrorTerminal(report: ErrorReport): string {
  const hints = findHints(report).map((hint) => `Hint: ${visibleText(hint)}`);
  return `${[...renderChain(report, textCoat, 0), ...hints].join('\n\n')}\n`;
}

/** Renders a frame as a numbered line: `3. await load (src/load.ts:12:5)`. */
export function renderFrame(frame: ReportedFrame): string {
  const name = frame.function === '' ? '' : `${visibleText(frame.function)} `;
  return `${frame.index}. ${frame.async ? 'await ' : ''}${name}(${locationOfFrame(frame)})`;
}

/** Returns `file:line:column`; unknown parts are omitted. */
export function locationOfFrame(frame: ReportedFrame): string {
  if (frame.file === '') return frame.kind === 'eval' ? 'eval' : 'native code';
  const line = frame.line > 0 ? `:${frame.line}` : '';
  return visibleText(frame.file) + line + (frame.column > 0 ? `:${frame.column}` : '');
}

/** Returns `class: message`, or `class without a message` if the message is empty. */
export function headline(report: { readonly class: string; readonly message: string }): string {
  return report.message === '' ? `${report.class} without a message` : `${report.class}: ${report.message}`;
}

/** Groups consecutive frames that are outside the application and show no code; every other frame is its own group. */
export function foldRuns(frames: readonly ReportedFrame[]): ReportedFrame[][] {
  const groups: ReportedFrame[][] = [];
  for (const frame of frames) {
    const last = groups.at(-1);
    if (last?.[0] !== undefined && isFoldable(frame) && isFoldable(last[0])) last.push(frame);
    else groups.push([frame]);
  }
  return groups;
}

function isFoldable(frame: ReportedFrame): boolean {
  return frame.kind !== 'app' && frame.excerpt === undefined;
}

/** Names the owners of the frames in a run: `express, Node.js`. */
export function ownersOf(frames: readonly ReportedFrame[]): string {
  const owners = new Set(
    frames.map((frame) => frame.library ?? (frame.kind === 'node' ? 'Node.js' : frame.kind)),
  );
  return visibleText([...owners].slice(0, 4).join(', ')) + (owners.size > 4 ? ' and others' : '');
}

/** The format of an error's parts. `depth` counts the AggregateErrors around a part. */
interface Coat {
  /** Separator between the parts of one error. */
  readonly gap: string;
  head(label: string, text: string, depth: number): string;
  note(text: string, depth: number): string;
  block(text: string, depth: number): string;
  code(frame: ReportedFrame, depth: number): string;
}

const textCoat: Coat = {
  gap: '\n',
  head: (label, text, depth) => `${'    '.repeat(depth)}[${label}] ${text}`,
  note: (text, depth) => textCoat.block(text, depth),
  block: (text, depth) => visibleText(text).replace(/^(?=.)/gm, `  ${'    '.repeat(depth)}`),
  code: (frame, depth) => textCoat.block(renderExcerpt(frame), depth),
};

function markdownCoat(level: number): Coat {
  return {
    gap: '\n\n',
    head: (label, text, depth) => `${'#'.repeat(Math.min(6, level + depth))} ${label}. ${codeSpan(text)}`,
    note: (text) => text,
    block: (text) => fence(text, 'text'),
    code: (frame) => `${codeSpan(frame.file)}\n\n${fence(renderExcerpt(frame), 'ts')}`,
  };
}

function renderChain(chain: ReportedChain, coat: Coat, depth: number): string[] {
  const more = chain.more === undefined ? [] : [coat.note(`… ${chain.more} deeper causes omitted`, depth)];
  return [...more, ...chain.errors.map((error) => renderError(error, coat, depth))];
}

function renderError(error: ReportedError, coat: Coat, depth: number): string {
  const { label, code, message, circularTo, children = [], moreChildren } = error;
  const shown = mainFrame(error.frames);
  const name = `${error.class}${code === undefined ? '' : ` [${code}]`}`;
  const stack = renderStack(error);
  const parts = [
    coat.head(label, visibleText(name) + describeRole(error), depth),
    message === '' ? '' : coat.block(message, depth),
    circularTo === undefined
      ? ''
      : coat.note(`Caused by error ${circularTo} again: the chain is circular.`, depth),
    shown === undefined ? '' : coat.code(shown, depth),
    shown?.locals === undefined ? '' : coat.block(renderLocals(shown.locals), depth),
    stack === '' ? '' : coat.block(stack, depth),
    renderProperties(error, coat, depth),
    ...children.flatMap((child) => renderChain(child, coat, depth + 1)),
    moreChildren === undefined ? '' : coat.note(`… ${moreChildren} more aggregated errors`, depth + 1),
  ];
  return parts.filter((part) => part !== '').join(coat.gap);
}

function renderProperties(error: ReportedError, coat: Coat, depth: number): string {
  const { shown, hidden } = shownProperties(error);
  if (shown === undefined) return '';
  const left =
    hidden > 0
      ? `\n${say('({n} undefined field left out)|({n} undefined fields left out)', { n: hidden })}`
      : '';
  return coat.block(renderSnapshotText(shown) + left, depth);
}

/** An error's own properties without undefined ones, because database drivers declare many. */
export function shownProperties({ properties, isNoError }: ReportedError): {
  readonly shown: Snapshot | undefined;
  readonly hidden: number;
} {
  if (properties === undefined || isNoError === true) return { shown: properties, hidden: 0 };
  const { entries = [] } = properties;
  const left = entries.filter(({ value }) => value.type !== 'undefined');
  const hidden = entries.length - left.length;
  return { shown: left.length === 0 && hidden > 0 ? undefined : { ...properties, entries: left }, hidden };
}

function describeRole({ isOuter, replaced }: ReportedError): string {
  const role = replaced === undefined ? '' : ` (${visibleText(describeReplacement(replaced))})`;
  return isOuter ? `${role} (what the client saw)` : role;
}

/** Returns how an error was replaced, for display. */
export function describeReplacement({ by, how }: NonNullable<ReportedError['replaced']>): string {
  return how === 'assigned' ? `replaced by event.error in ${by}` : `replaced by an error thrown in ${by}`;
}

/**
 * Returns the frame whose code is shown first: the application's innermost frame with an excerpt, otherwise the
 * innermost frame with an excerpt.
 */
export function mainFrame(frames: readonly ReportedFrame[]): ReportedFrame | undefined {
  const withCode = frames.filter(({ excerpt }) => excerpt !== undefined);
  return withCode.find(({ kind }) => kind === 'app') ?? withCode[0];
}

function renderLocals({ entries = [] }: Snapshot): string {
  return entries.map(({ key, value }) => `${key} = ${renderSnapshotLine(value)}`).join('\n');
}

/** Renders an error's frames, one per line; consecutive calls in packages are only counted. */
function renderStack({ frames, moreFrames }: ReportedError): string {
  const lines = foldRuns(frames).flatMap((run) =>
    run.length === 1 ? run.map(renderFrame) : [`… ${run.length} calls in ${ownersOf(run)}`],
  );
  if (moreFrames !== undefined) lines.push(`… ${moreFrames} more calls`);
  return lines.join('\n');
}

/** Renders a frame's excerpt with line numbers; `>` marks the frame's line. */
function renderExcerpt({ excerpt }: ReportedFrame): string {
  if (excerpt === undefined) return '';
  const width = String(excerpt.startLine + excerpt.lines.length).length;
  return excerpt.lines
    .map((text, index) => {
      const number = excerpt.startLine + index;
      const sign = number === excerpt.line ? '>' : ' ';
      return `${sign} ${String(number).padStart(width)} | ${visibleText(text)}`.trimEnd();
    })
    .join('\n');
}

/** Renders text as a Markdown code span that the text cannot end: on one line, with `|` escaped for tables. */
export function codeSpan(text: string): string {
  const line = oneLine(text);
  if (line.trim() === '') return '(empty)';
  const longest = longestRun(line);
  const [ticks, space] = ['`'.repeat(longest + 1), longest === 0 ? '' : ' '];
  return `${ticks}${space}${line.trim().replaceAll('|', '\\|')}${space}${ticks}`;
}

/** Renders text as a fenced code block; the fence is longer than any run of backticks in the text. */
export function fence(text: string, language: string): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}${language.replace(/[^a-z]/g, '')}\n${visibleText(text.replaceAll('\r', ''))}\n${ticks}`;
}

/** Escapes every character with a meaning in Markdown or HTML, and joins the text into one line. */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replace(/[\\`*_[\]#|<>&~]/g, (character) => `\\${character}`);
}

function oneLine(text: string): string {
  return visibleText(text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' '));
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
