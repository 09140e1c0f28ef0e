import { type Redactor, redactSecret } from '#core/dump';
import { isApplicationFile } from '../source/capture-call-sites.js';
import { mayHaveJsx } from '../present/highlight-code.js';
import { CodeReader, isScript, type OpenCode, openLines } from '../present/lex-code.js';
import { describeLocation, parseStack, type StackFrame } from '../source/parse-stack.js';
import type { Excerpt, ReportedFrame } from '../report/error-report.js';
import { type LoadedSource, type SourceLoader } from '../source/create-source-loader.js';

export interface FrameOptions {
  readonly libraryFolders: readonly string[];
  readonly sources: SourceLoader;
  readonly redactor: Redactor;
  readonly excerpts: number;
  /** Whether positions in packages are mapped to their sources too. */
  readonly mapsPackages: boolean;
  /** All frame locations in the report; newly read ones are added. */
  readonly known: Set<string>;
}

const maxFrames = 100;
/** Package frames that get an excerpt in a stack without application frames. */
const maxPackageExcerpts = 2;

/**
 * Parses the stack of an error with this message and maps its frames to the original sources. Frames shared with other
 * errors in the report are only counted, except the first. The frame that threw (the first one with a file) gets an
 * excerpt, whatever file it is in; so do application frames, one per location, up to the limit. In a stack without
 * application frames, the first package frames do.
 */
export function reportFrames(
  stack: string,
  message: string,
  options: FrameOptions,
): { frames: readonly ReportedFrame[]; more: number } {
  const { known, excerpts, sources } = options;
  const parsed = parseStack(stack, message, maxFrames);
  const all = parsed.frames.map((frame, at) =>
    reportFrame(isMapped(frame, options) ? toOriginal(frame, sources) : frame, at + 1, options),
  );
  const added = all.filter((frame) => !known.has(locationOf(frame)));
  const frames = [...all.slice(0, 1), ...added.filter(({ index }) => index > 1)];
  const own = added.filter(({ kind }) => kind === 'app');
  const readable = added.filter(({ path }) => path !== undefined);
  const others = own.length > 0 ? own : readable.slice(1, maxPackageExcerpts);
  const chosen = new Set([...readable.slice(0, 1), ...others].slice(0, excerpts));
  for (const frame of added) known.add(locationOf(frame));
  return {
    frames: frames.map((frame) => (chosen.has(frame) ? { ...frame, ...excerptOf(frame, options) } : frame)),
    more: parsed.more + all.length - frames.length,
  };
}

function locationOf({ file, line, column }: ReportedFrame): string {
  return `${file}:${line}:${column}`;
}

/** Reports a position in the application as a frame with code, for an error whose stack does not contain it. Never throws. */
export function reportLocation(
  location: { readonly name: string; readonly file: string; readonly line: number },
  options: { readonly sources: SourceLoader; readonly redactor: Redactor },
): ReportedFrame {
  const all = { ...options, mapsPackages: true, libraryFolders: [], excerpts: 1, known: new Set<string>() };
  const { name, file, line } = location;
  const frame = reportFrame({ function: name, file, line, column: 1, async: false, eval: false }, 1, all);
  return { ...frame, ...excerptOf(frame, all) };
}

function isMapped({ file }: StackFrame, { mapsPackages, libraryFolders }: FrameOptions): boolean {
  return mapsPackages || isApplicationFile(file, libraryFolders);
}

function toOriginal(frame: StackFrame, sources: SourceLoader): StackFrame {
  if (!frame.file.startsWith('/') && !/^[A-Za-z]:/.test(frame.file)) return frame;
  const original = sources.findOriginal({ path: frame.file, line: frame.line, column: frame.column });
  if (original === undefined) return frame;
  return { ...frame, file: original.path, line: original.line, column: original.column };
}

function reportFrame(frame: StackFrame, index: number, options: FrameOptions): ReportedFrame {
  const location = describeLocation(frame, process.cwd(), options.libraryFolders);
  const hasPath =
    (location.kind === 'app' || location.kind === 'library' || location.kind === 'eval') && frame.file !== '';
  return {
    index,
    function: options.redactor.text(frame.function),
    ...location,
    ...(hasPath ? { path: frame.file } : {}),
    line: frame.line,
    column: frame.column,
    async: frame.async,
  };
}

function excerptOf(
  frame: ReportedFrame,
  { sources, redactor }: FrameOptions,
): { excerpt?: Excerpt; note?: string } {
  if (frame.path === undefined) return {};
  const source = sources.load(frame.path);
  if (typeof source === 'string') return { note: source };
  const excerpt = takeExcerpt(source, frame.line, frame.column, frame.path);
  if (excerpt === undefined)
    return { note: 'The file does not have this line: it changed after it was loaded.' };
  return { excerpt: { ...excerpt, lines: excerpt.lines.map((line) => redactLiterals(line, redactor)) } };
}

/** Redacts literals assigned to secret names (`apiKey: 'sk_…'`). The rule for free text would make code unreadable. */
function redactLiterals(line: string, redactor: Redactor): string {
  return line.replace(
    /(?<![\w$])([\w$-]{2,60})(["']?\s{0,3}[:=]\s{0,3})(["'`])([^\s"'`]{6,200})\3/g,
    (whole, name: string, between: string, quote: string, value: string) =>
      redactor.isSecretName(name) ? `${name}${between}${quote}${redactSecret(value)}${quote}` : whole,
  );
}

/** Lines shown before and after the frame's line. */
const contextLines = 5;
const maxLineLength = 240;
/** Maximum offset in a line up to which open constructs are known. */
const maxShift = 64 * 1024;

/** Returns the lines around a position, long ones truncated around the column; undefined if the line does not exist. */
export function takeExcerpt(
  source: LoadedSource,
  line: number,
  column: number,
  file = '',
): Excerpt | undefined {
  if (line < 1 || line > source.lines.length) return undefined;
  const startLine = Math.max(1, line - contextLines);
  const lines = source.lines.slice(startLine - 1, line + contextLines);
  const shift = column > maxLineLength - 40 ? column - 120 : 0;
  const shown = lines.map((text, index) => cutLine(text, startLine + index === line ? shift : 0));
  const open = openAt(source, { startLine, line, shift, count: lines.length, file });
  const position = { line, column: shift === 0 ? column : column - shift + 1 };
  const excerpt = { startLine, lines: shown, ...position, ...(open.join('') === '' ? {} : { open }) };
  return source.changed ? { ...excerpt, changed: true } : excerpt;
}

/** The constructs open at the start of an excerpt's lines; the frame's line may begin at an offset. */
function openAt(
  source: LoadedSource,
  at: { startLine: number; line: number; shift: number; count: number; file: string },
): OpenCode[] {
  if (!isScript(at.file)) return [];
  const { startLine, count, line, shift } = at;
  const known = openLines(source, startLine + count - 1, { hasJsx: mayHaveJsx(at.file) });
  return Array.from({ length: count }, (_, index): OpenCode => {
    const open = known[startLine - 1 + index] ?? '';
    const text = source.lines[startLine - 1 + index] ?? '';
    if (startLine + index === line && shift > 0) return openWithin(open, text, { shift, file: at.file });
    // Whether a value precedes matters only before these.
    return open.endsWith('.') && !/^\s*[/<]/.test(text) ? open.slice(0, -1) : open;
  });
}

/** The constructs open at an offset in a line; unknown for single-line bundles. */
function openWithin(open: OpenCode, text: string, at: { shift: number; file: string }): OpenCode {
  if (at.shift > maxShift) return '';
  return new CodeReader(open, { hasJsx: mayHaveJsx(at.file) }).readLineTo(text, at.shift);
}

function cutLine(text: string, shift: number): string {
  const from = text.slice(shift, shift + maxLineLength);
  return (shift > 0 ? '…' : '') + from + (text.length > shift + maxLineLength ? '…' : '');
}
