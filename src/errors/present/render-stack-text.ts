import { visibleText } from '#html';
import type { ReportedError, ReportedFrame, ReportedStack } from '../report/error-report.js';

/** Renders a frame as a numbered line: `3. await load (src/load.ts:12:5)`. */
export function renderFrameText(frame: ReportedFrame): string {
  const place = frame.file === '' ? frame.kind : `${frame.file}${frame.line > 0 ? `:${frame.line}` : ''}`;
  const column = frame.file !== '' && frame.column > 0 ? `:${frame.column}` : '';
  const name = frame.function === '' ? '' : `${frame.function} `;
  return visibleText(`${frame.index}. ${frame.async ? 'await ' : ''}${name}(${place}${column})`);
}

/** Renders the frames of an error, one per line, with a note of omitted frames. */
export function renderStackText(error: ReportedStack, indent: string): string {
  const lines = error.frames.map((frame) => indent + renderFrameText(frame));
  const { shared } = error;
  if (shared !== undefined)
    lines.splice(shared.at, 0, `${indent}… ${shared.calls} calls as in error ${shared.label}`);
  if (error.moreFrames !== undefined) lines.push(`${indent}… ${error.moreFrames} more calls`);
  return lines.join('\n');
}

/** Renders the numbered lines of a frame's excerpt; `>` marks the frame's line. */
export function renderExcerptText(frame: ReportedFrame, indent: string): string {
  const { excerpt } = frame;
  if (excerpt === undefined) return '';
  const width = String(excerpt.startLine + excerpt.lines.length).length;
  return excerpt.lines
    .map((text, index) => {
      const number = excerpt.startLine + index;
      const sign = number === excerpt.line ? '>' : ' ';
      return `${indent}${sign} ${String(number).padStart(width)} | ${visibleText(text)}`.trimEnd();
    })
    .join('\n');
}

/** Finds the frame whose code is shown in formats that have room for only one excerpt. */
export function findShownFrame(error: ReportedStack): ReportedFrame | undefined {
  return error.frames.find((frame) => frame.excerpt !== undefined);
}

/** Renders class and code of an error: `NotFoundError [CODE] (what the client saw)`. */
export function renderErrorHead(error: ReportedError): string {
  const code = error.code === undefined ? '' : ` [${error.code}]`;
  return visibleText(`${error.class}${code}`) + (error.isOuter ? ' (what the client saw)' : '');
}

/** Returns `class: message`, or `class without a message` if the message is empty. */
export function headline(report: { readonly class: string; readonly message: string }): string {
  return report.message === '' ? `${report.class} without a message` : `${report.class}: ${report.message}`;
}
