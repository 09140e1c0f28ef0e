import { visibleText } from '#html';
import type { ErrorReport, ReportedError } from '../report/error-report.js';
import { findHints } from '../present/find-hints.js';
import {
  findShownFrame,
  renderErrorHead,
  renderExcerptText,
  renderFrameText,
} from '../present/render-stack-text.js';

const codes = {
  bold: '\u001b[1m',
  dim: '\u001b[2m',
  red: '\u001b[31m',
  cyan: '\u001b[36m',
  off: '\u001b[0m',
};

/** For a terminal: `color` off gives plain text. Escape sequences in foreign text are written out, never sent. */
export interface TerminalOptions {
  color?: boolean;
}

/** The report for a terminal: short, inner error first, application frames bright, runs of others counted. */
export function renderErrorTerminal(report: ErrorReport, options: TerminalOptions = {}): string {
  const paint = (code: keyof typeof codes, text: string): string =>
    options.color === true ? codes[code] + text + codes.off : text;
  const parts = report.errors.slice(0, 10).map((error) => renderOne(error, paint));
  const left = report.errors.length - parts.length + (report.more ?? 0);
  if (left > 0) parts.push(paint('dim', `… ${left} more errors in the chain`));
  for (const hint of findHints(report)) parts.push(`${paint('cyan', 'Hint:')} ${visibleText(hint)}`);
  return `${parts.join('\n\n')}\n`;
}

function renderOne(error: ReportedError, paint: (code: keyof typeof codes, text: string) => string): string {
  const shown = findShownFrame(error);
  const lines = [
    `${paint('bold', `[${error.label}]`)} ${paint('red', renderErrorHead(error))}`,
    `  ${visibleText(error.message).replaceAll('\n', '\n  ')}`,
    shown === undefined ? '' : `\n${renderExcerptText(shown, '  ')}\n`,
  ];
  let folded = 0;
  const unfold = (): void => {
    if (folded > 0) lines.push(paint('dim', `     … ${folded} calls in packages and Node.js`));
    folded = 0;
  };
  for (const frame of error.frames) {
    if (frame.kind !== 'app' && frame.excerpt === undefined) {
      folded++;
      continue;
    }
    unfold();
    lines.push(`  ${renderFrameText(frame)}`);
  }
  unfold();
  return lines.filter((line) => line !== '').join('\n');
}
