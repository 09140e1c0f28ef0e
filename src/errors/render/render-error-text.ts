import { renderPictureText } from '#dump';
import { createRedactor } from '#dump';
import { visibleText } from '#html';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport, ReportedChain } from '../report/error-report.js';
import { findHints } from '../present/find-hints.js';
import {
  findShownFrame,
  headline,
  renderErrorHead,
  renderExcerptText,
  renderStackText,
} from '../present/render-stack-text.js';
import { statusText } from '../status/status-text.js';

const redactor = createRedactor();

/** Renders the report as plain text: outer message, request, chain (innermost error first) with numbered stacks, and log. */
export function renderErrorText(report: ErrorReport, context: ErrorPageContext = {}): string {
  const { request, routing, logs = [], record } = context;
  const parts = [
    `${report.status} ${statusText(report.status)}\n${visibleText(headline(report))}`,
    request === undefined ? '' : `Request: ${visibleText(`${request.method} ${redactor.url(request.url)}`)}`,
    listed(
      'Did you mean',
      (routing?.didYouMean ?? []).map(({ name, path }) => `${path} (${name})`),
    ),
    listed('Allowed here', routing?.allow ?? []),
    listed('Hints', findHints(report)),
    renderChain(report, ''),
    listed(
      'Log',
      logs.map((entry) => `${entry.time} ${entry.level} ${entry.channel}: ${entry.message}`),
    ),
    record === undefined ? '' : `Record: ${visibleText(record.link)}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function listed(title: string, lines: readonly string[]): string {
  if (lines.length === 0) return '';
  return `${title}:\n${lines
    .slice(0, 300)
    .map((line) => `  ${visibleText(line).replaceAll('\n', '\n    ')}`)
    .join('\n')}`;
}

function renderChain(chain: ReportedChain, indent: string): string {
  const parts = chain.errors.map((error) => {
    const shown = findShownFrame(error);
    const lines = [
      `${indent}[${error.label}] ${renderErrorHead(error)}`,
      `${indent}  ${visibleText(error.message).replaceAll('\n', `\n${indent}  `)}`,
      error.circularTo === undefined ? '' : `${indent}  caused by error ${error.circularTo} again: a circle`,
      shown === undefined ? '' : renderExcerptText(shown, `${indent}  `),
      renderStackText(error, `${indent}  `),
      error.properties === undefined
        ? ''
        : `${indent}  ${visibleText(renderPictureText(error.properties, `${indent}  `))}`,
      ...(error.children ?? []).map((child) => renderChain(child, `${indent}    `)),
      error.moreChildren === undefined ? '' : `${indent}    … ${error.moreChildren} more gathered errors`,
    ];
    return lines.filter((line) => line !== '').join('\n');
  });
  if (chain.more !== undefined) parts.unshift(`${indent}… ${chain.more} more causes further inside`);
  return parts.join('\n\n');
}
