import { createRedactor, renderPictureText } from '#dump';
import type { ErrorPageContext } from '../report/error-page-context.js';
import type { ErrorReport, ReportedChain, ReportedError, ReportedStack } from '../report/error-report.js';
import { findHints } from './find-hints.js';
import { codeSpan, fence } from './markdown-text.js';
import {
  findShownFrame,
  headline,
  renderErrorHead,
  renderExcerptText,
  renderStackText,
} from './render-stack-text.js';
import { shortenReport } from './shorten-report.js';
import { statusText } from '../status/status-text.js';

const redactor = createRedactor();

/**
 * Renders the report as Markdown, for an issue or an AI assistant. All foreign text is in code spans or in fences longer
 * than any it contains, so none of it becomes markup.
 */
export function renderErrorMarkdown(whole: ErrorReport, context: ErrorPageContext = {}): string {
  const report = shortenReport(whole);
  const { request, routing, logs = [], record } = context;
  const parts = [
    `# ${report.status} ${statusText(report.status)}`,
    fence(headline(report), 'text'),
    request === undefined ? '' : `Request: ${codeSpan(`${request.method} ${redactor.url(request.url)}`)}`,
    listed(
      'Did you mean',
      (routing?.didYouMean ?? []).map(({ name, path }) => `${codeSpan(path)} (${codeSpan(name)})`),
    ),
    listed('Allowed here', (routing?.allow ?? []).map(codeSpan)),
    listed('Hints', findHints(report).map(codeSpan)),
    '## Errors, inner first',
    ...renderChain(report, 3),
    logs.length === 0 ? '' : `## Log\n\n${fence(logText(logs), 'text')}`,
    request === undefined ? '' : `## Headers\n\n${fence(headerText(request.headers), 'text')}`,
    record === undefined ? '' : `Record: ${codeSpan(record.link)}`,
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Renders only the chain of errors as Markdown, with headings at `level`. */
export function renderErrorChainMarkdown(report: ErrorReport, level: number): string {
  return renderChain(shortenReport(report), level).join('\n\n');
}

function renderChain(chain: ReportedChain, level: number): string[] {
  const more = chain.more === undefined ? [] : [`… ${chain.more} more causes further inside`];
  return [...more, ...chain.errors.flatMap((error) => renderOne(error, level))];
}

function renderOne(error: ReportedError, level: number): string[] {
  return [
    `${'#'.repeat(Math.min(6, level))} ${error.label}. ${codeSpan(renderErrorHead(error))}`,
    fence(error.message, 'text'),
    error.circularTo === undefined ? '' : `Caused by error ${error.circularTo} again: a circle.`,
    ...renderStack(error),
    error.properties === undefined ? '' : fence(renderPictureText(error.properties), 'text'),
    ...(error.children ?? []).flatMap((child) => renderChain(child, level + 1)),
    error.moreChildren === undefined ? '' : `… ${error.moreChildren} more gathered errors`,
  ].filter((part) => part !== '');
}

function renderStack(stack: ReportedStack): readonly string[] {
  const shown = findShownFrame(stack);
  return [
    shown === undefined ? '' : `${codeSpan(shown.file)}\n\n${fence(renderExcerptText(shown, ''), 'ts')}`,
    stack.frames.length === 0 ? '' : fence(renderStackText(stack, ''), 'text'),
  ];
}

function logText(logs: NonNullable<ErrorPageContext['logs']>): string {
  return logs
    .slice(0, 300)
    .map((entry) => `${entry.time} ${entry.level} ${entry.channel}: ${entry.message}`)
    .join('\n');
}

function headerText(headers: readonly (readonly [string, string])[]): string {
  return headers
    .slice(0, 200)
    .map(([name, value]) => `${name}: ${redactor.value(name, value)}`)
    .join('\n');
}

function listed(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n\n${lines.map((line) => `- ${line}`).join('\n')}`;
}
