import { createRedactor, type Picture, renderPictureLine, renderPictureText } from '#dump';
import { visibleText } from '#html';
import type {
  ErrorPageContext,
  ErrorReport,
  ReportedChain,
  ReportedError,
  ReportedFrame,
} from '../report/error-report.js';
import { statusText } from '../status/http-errors.js';
import { findHints } from './find-hints.js';
import { shortenReport } from './shorten-report.js';

const redactor = createRedactor();
const maxLines = 300;
const maxTerminalErrors = 10;

/**
 * Renders the report as plain text: outer message, request, hints, chain (innermost error first) with numbered stacks, log
 * and headers. Terminal escape sequences and other control characters of foreign text are made visible.
 */
export function renderErrorText(report: ErrorReport, context: ErrorPageContext = {}): string {
  return renderReport(report, context, textCoat);
}

/**
 * Renders the same as Markdown, for an issue or an AI assistant; consecutive calls in packages are only counted. All
 * foreign text is in code spans or in fences longer than any it contains, so none of it becomes markup.
 */
export function renderErrorMarkdown(report: ErrorReport, context: ErrorPageContext = {}): string {
  return renderReport(report, context, markdownCoat(3));
}

/** Renders only the chain of errors as Markdown, with headings at `level`. */
export function renderErrorChainMarkdown(report: ErrorReport, level: number): string {
  return renderChain(shortenReport(report), markdownCoat(level), 0).join('\n\n');
}

/** Renders chain and hints for a terminal or a log; consecutive calls in packages are only counted. */
export function renderErrorTerminal(report: ErrorReport): string {
  const errors = report.errors.slice(0, maxTerminalErrors);
  const parts = renderChain({ errors }, { ...textCoat, folds: true }, 0);
  const left = report.errors.length - errors.length + (report.more ?? 0);
  if (left > 0) parts.push(`… ${left} more errors in the chain`);
  for (const hint of findHints(report)) parts.push(`Hint: ${visibleText(hint)}`);
  return `${parts.join('\n\n')}\n`;
}

/** Renders a frame as a numbered line: `3. await load (src/load.ts:12:5)`. */
export function renderFrame(frame: ReportedFrame): string {
  const name = frame.function === '' ? '' : `${visibleText(frame.function)} `;
  return `${frame.index}. ${frame.async ? 'await ' : ''}${name}(${placeOfFrame(frame)})`;
}

/** Returns `file:line:column`; unknown parts are omitted. */
export function placeOfFrame(frame: ReportedFrame): string {
  if (frame.file === '') return frame.kind === 'eval' ? 'eval' : 'native code';
  const line = frame.line > 0 ? `:${frame.line}` : '';
  return visibleText(frame.file) + line + (frame.column > 0 ? `:${frame.column}` : '');
}

/** Returns `class: message`, or `class without a message` if the message is empty. */
export function headline(report: { readonly class: string; readonly message: string }): string {
  return report.message === '' ? `${report.class} without a message` : `${report.class}: ${report.message}`;
}

/** Groups consecutive frames that are not the application's and show no code; any other frame is a group of its own. */
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

/** Says to whom the frames of a run belong: `express, Node.js`. */
export function ownersOf(frames: readonly ReportedFrame[]): string {
  const owners = new Set(
    frames.map((frame) => frame.library ?? (frame.kind === 'node' ? 'Node.js' : frame.kind)),
  );
  return visibleText([...owners].slice(0, 4).join(', ')) + (owners.size > 4 ? ' and others' : '');
}

/** How the parts of a report are written. `depth` counts the AggregateErrors around a part. */
interface Coat {
  /** What separates the parts of one error. */
  readonly gap: string;
  /** Whether consecutive calls outside of the application are only counted. */
  readonly folds: boolean;
  readonly chainTitle: string;
  title(status: string, message: string): string;
  fact(name: string, value: string): string;
  list(title: string, lines: readonly string[]): string;
  section(title: string, text: string): string;
  head(label: string, text: string, depth: number): string;
  note(text: string, depth: number): string;
  block(text: string, depth: number): string;
  code(frame: ReportedFrame, depth: number): string;
}

const textCoat: Coat = {
  gap: '\n',
  folds: false,
  chainTitle: '',
  title: (status, message) => `${status}\n${visibleText(message)}`,
  fact: (name, value) => `${name}: ${visibleText(value)}`,
  list: (title, lines) => (lines.length === 0 ? '' : `${title}:\n${textCoat.block(lines.join('\n'), 0)}`),
  section: (title, text) => (text === '' ? '' : `${title}:\n${textCoat.block(text, 0)}`),
  head: (label, text, depth) => `${'    '.repeat(depth)}[${label}] ${text}`,
  note: (text, depth) => textCoat.block(text, depth),
  block: (text, depth) => visibleText(text).replace(/^(?=.)/gm, `  ${'    '.repeat(depth)}`),
  code: (frame, depth) => textCoat.block(renderExcerpt(frame), depth),
};

function markdownCoat(level: number): Coat {
  return {
    gap: '\n\n',
    folds: true,
    chainTitle: '## Errors, inner first',
    title: (status, message) => `# ${status}\n\n${fence(message, 'text')}`,
    fact: (name, value) => `${name}: ${codeSpan(value)}`,
    list: (title, lines) =>
      lines.length === 0 ? '' : `${title}:\n\n${lines.map((line) => `- ${codeSpan(line)}`).join('\n')}`,
    section: (title, text) => (text === '' ? '' : `## ${title}\n\n${fence(text, 'text')}`),
    head: (label, text, depth) => `${'#'.repeat(Math.min(6, level + depth))} ${label}. ${codeSpan(text)}`,
    note: (text) => text,
    block: (text) => fence(text, 'text'),
    code: (frame) => `${codeSpan(frame.file)}\n\n${fence(renderExcerpt(frame), 'ts')}`,
  };
}

function renderReport(whole: ErrorReport, context: ErrorPageContext, coat: Coat): string {
  const report = shortenReport(whole);
  const { request, routing, logs = [], record } = context;
  const parts = [
    coat.title(`${report.status} ${statusText(report.status)}`, headline(report)),
    request === undefined ? '' : coat.fact('Request', `${request.method} ${redactor.url(request.url)}`),
    coat.list(
      'Did you mean',
      (routing?.didYouMean ?? []).map(({ name, path }) => `${path} (${name})`),
    ),
    coat.list('Allowed here', routing?.allow ?? []),
    coat.list('Hints', findHints(report)),
    coat.chainTitle,
    ...renderChain(report, coat, 0),
    coat.section(
      'Log',
      linesOf(
        logs,
        (log) =>
          `${typeof log.time === 'number' ? `${Math.round(log.time)} ms` : log.time} ${log.level} ${log.channel}: ${log.message}`,
      ),
    ),
    coat.section(
      'Headers',
      linesOf(request?.headers ?? [], ([name, value]) => `${name}: ${redactor.value(name, value)}`),
    ),
    record === undefined ? '' : coat.fact('Record', record.link),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function linesOf<Item>(items: readonly Item[], render: (item: Item) => string): string {
  return items.slice(0, maxLines).map(render).join('\n');
}

function renderChain(chain: ReportedChain, coat: Coat, depth: number): string[] {
  const more =
    chain.more === undefined ? [] : [coat.note(`… ${chain.more} more causes further inside`, depth)];
  return [...more, ...chain.errors.map((error) => renderError(error, coat, depth))];
}

function renderError(error: ReportedError, coat: Coat, depth: number): string {
  const { label, code, message, circularTo, properties, children = [], moreChildren } = error;
  const shown = error.frames.find(({ excerpt }) => excerpt !== undefined);
  const name = `${error.class}${code === undefined ? '' : ` [${code}]`}`;
  const stack = renderStack(error, coat);
  const parts = [
    coat.head(label, visibleText(name) + (error.isOuter ? ' (what the client saw)' : ''), depth),
    message === '' ? '' : coat.block(message, depth),
    circularTo === undefined ? '' : coat.note(`Caused by error ${circularTo} again: a circle.`, depth),
    shown === undefined ? '' : coat.code(shown, depth),
    shown?.locals === undefined ? '' : coat.block(renderLocals(shown.locals), depth),
    stack === '' ? '' : coat.block(stack, depth),
    properties === undefined ? '' : coat.block(renderPictureText(properties), depth),
    ...children.flatMap((child) => renderChain(child, coat, depth + 1)),
    moreChildren === undefined ? '' : coat.note(`… ${moreChildren} more gathered errors`, depth + 1),
  ];
  return parts.filter((part) => part !== '').join(coat.gap);
}

function renderLocals({ entries = [] }: Picture): string {
  return entries.map(({ key, value }) => `${key} = ${renderPictureLine(value)}`).join('\n');
}

/** Renders the frames of an error, one per line, with notes of those that are omitted. */
function renderStack({ frames, shared, moreFrames }: ReportedError, { folds }: Coat): string {
  const at = shared?.at ?? frames.length;
  const linesFrom = (some: readonly ReportedFrame[]): string[] =>
    folds ? foldRuns(some).flatMap(renderGroup) : some.map(renderFrame);
  const lines = [...linesFrom(frames.slice(0, at))];
  if (shared !== undefined) lines.push(`… ${shared.calls} calls as in error ${shared.label}`);
  lines.push(...linesFrom(frames.slice(at)));
  if (moreFrames !== undefined) lines.push(`… ${moreFrames} more calls`);
  return lines.join('\n');
}

function renderGroup(frames: readonly ReportedFrame[]): string[] {
  return frames.length === 1 ? frames.map(renderFrame) : [`… ${frames.length} calls in ${ownersOf(frames)}`];
}

/** Renders the numbered lines of a frame's excerpt; `>` marks the frame's line. */
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
