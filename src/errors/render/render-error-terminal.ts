import { visibleText } from '#html';
import type { ErrorReport, ReportedError } from '../report/error-report.js';
import { findHints } from '../present/find-hints.js';
import {
  findShownFrame,
  renderErrorHead,
  renderExcerptText,
  renderFrameText,
} from '../present/render-stack-text.js';

const maxErrors = 10;

/**
 * Renders the report for a terminal or a log: short, innermost error first, consecutive library frames only counted.
 * Terminal escape sequences in foreign text are made visible, never emitted.
 */
export function renderErrorTerminal(report: ErrorReport): string {
  const parts = report.errors.slice(0, maxErrors).map((error) => renderOne(error, ''));
  const left = report.errors.length - parts.length + (report.more ?? 0);
  if (left > 0) parts.push(`… ${left} more errors in the chain`);
  for (const hint of findHints(report)) parts.push(`Hint: ${visibleText(hint)}`);
  return `${parts.join('\n\n')}\n`;
}

function renderOne(error: ReportedError, indent: string): string {
  const inner = `${indent}  `;
  const shown = findShownFrame(error);
  const lines = [
    `${indent}[${error.label}] ${renderErrorHead(error)}`,
    inner + visibleText(error.message).replaceAll('\n', `\n${inner}`),
    shown === undefined ? '' : `\n${renderExcerptText(shown, inner)}\n`,
  ];
  let folded = 0;
  for (const frame of [...error.frames, undefined]) {
    if (frame !== undefined && frame.kind !== 'app' && frame.excerpt === undefined) {
      folded++;
      continue;
    }
    if (folded > 0) lines.push(`${inner}   … ${folded} calls in packages and Node.js`);
    folded = 0;
    if (frame !== undefined) lines.push(inner + renderFrameText(frame));
  }
  for (const { errors } of error.children ?? [])
    for (const gathered of errors) lines.push(renderOne(gathered, `${inner}  `));
  return lines.filter((line) => line !== '').join('\n');
}
