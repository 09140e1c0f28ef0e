import { isNodeWarning } from '../../model/profile-summary.js';
import { formatBytes, shorten } from '../../model/formatting.js';
import { findGraphqlError } from '../../model/graphql-facts.js';
import { isOfRequest, type ProfileRecord, type RecordedBody } from '../../model/profile-record.js';
import { findSection } from '../define-section.js';
import { type RecordFinding, warning } from '../finding.js';
import type { SecurityDecision, SecuritySection } from '../security/section.js';

const maxWordsLength = 160;
/** Maximum characters searched for a page's heading. */
const maxPageLength = 8000;

/** Finds the reason in the response to a request refused (400 to 499) without an exception. */
export function findRefusal(record: ProfileRecord): RecordFinding | undefined {
  const { response, exception, state } = record;
  const status = response?.status ?? 0;
  // If there is an exception, the status is explained by it.
  if (status < 400 || status > 499 || exception !== null || state !== 'complete') return undefined;
  if (!isOfRequest(record) || findGraphqlError(record) !== undefined) return undefined;
  return { ...warning(describeAnswer(record, status)), explains: 'failure' };
}

/** Describes why an exception refused a request, if the record says more than its message; otherwise undefined. */
export function describeRefusal(record: ProfileRecord): string | undefined {
  const { exception, route, request } = record;
  if (exception === null || exception.answered !== undefined) return undefined;
  const outer = exception.errors.at(-1);
  if (outer?.class === 'AccessDeniedError') return describeDenial(record);
  // Only the router's own errors begin like this; an application may throw a 404 as well.
  const isMiss = route?.name === null && (outer?.message ?? '').startsWith('No route found for "');
  if (!isMiss) return undefined;
  const { status } = exception;
  if (status === 404) return noRoute(request);
  const { allow } = route;
  return status === 405 && allow.length > 0
    ? `${pathOf(request)} does not accept ${request.method}, only ${allow.join(', ')}`
    : undefined;
}

function noRoute(request: ProfileRecord['request']): string {
  return `No route matches ${request.method} ${pathOf(request)}`;
}

function pathOf({ path }: ProfileRecord['request']): string {
  return shorten(path, maxWordsLength);
}

/** Names the rule that denied access, its requirement, and the user. */
function describeDenial(record: ProfileRecord): string | undefined {
  const { decisions, user = null } = findSection<SecuritySection>(record, 'security', ['decisions']) ?? {};
  const denied = decisions?.findLast(({ granted }) => !granted);
  if (denied === undefined) return undefined;
  const who = user === null ? 'an anonymous visitor' : shorten(user.identifier, maxWordsLength);
  const by = denied.by === undefined ? 'Access was denied to' : `${capitalized(denied.by)} refused`;
  return `${by} ${who}: ${requirementOf(denied)}`;
}

function requirementOf({ attribute, subject }: SecurityDecision): string {
  const on = subject === '' ? '' : ` on ${shorten(subject, maxWordsLength)}`;
  return `${shorten(attribute, maxWordsLength)}${on} is required`;
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function describeAnswer(record: ProfileRecord, status: number): string {
  const { request, response, route, controller, logs } = record;
  const body = wordsOf(response?.body ?? null);
  // Routing found no route, and no controller answered.
  if (status === 404 && route !== null && route.name === null && controller === null) return noRoute(request);
  if (body !== '') return `Answered ${status}: ${body}`;
  const logged = logs.findLast((entry) => entry.level === 'warning' && !isNodeWarning(entry))?.message;
  if (logged !== undefined) return `Answered ${status}; logged: ${oneLine(logged)}`;
  const by = controller === null ? '' : `, by ${shorten(controller.name, maxWordsLength)}`;
  const bytes = response?.bodyBytes ?? 0;
  return `Answered ${status} with ${bytes > 0 ? `a body of ${formatBytes(bytes)}` : 'an empty body'}${by}`;
}

/** Summarises a body in one line: data and text as they are; of an HTML page the heading, or its text if short. */
function wordsOf(body: RecordedBody | null): string {
  if (body === null || body.encoding !== 'text') return '';
  const { content, contentType } = body;
  if (!/^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return oneLine(content);
  const page = content.slice(0, maxPageLength);
  const heading = between(page, 'h1');
  if (heading !== '') return heading;
  const start = Math.max(0, page.search(/<body\b/i));
  const text = /<(?:script|style)\b/i.test(page.slice(start)) ? '' : textOf(page.slice(start));
  return text !== '' && text.length <= maxWordsLength ? text : between(page, 'title');
}

/** Returns the text of the first element with this tag; empty if there is none. */
function between(page: string, tag: string): string {
  const lower = page.toLowerCase();
  const start = lower.search(new RegExp(`<${tag}[\\s>]`));
  const inner = start === -1 ? -1 : lower.indexOf('>', start);
  const end = inner === -1 ? -1 : lower.indexOf(`</${tag}`, inner);
  return end === -1 ? '' : oneLine(textOf(page.slice(inner + 1, end)));
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  quot: '"',
  amp: '&',
  nbsp: ' ',
  '#39': "'",
  '#x27': "'",
};

function textOf(markup: string): string {
  return markup
    .replace(/<!?\/?[a-z!][^<>]*>/gi, ' ')
    .replace(/&(lt|gt|quot|amp|nbsp|#39|#x27);/g, (all, name: string) => entities[name] ?? all)
    .replace(/\s+/g, ' ')
    .trim();
}

function oneLine(text: string): string {
  return shorten(text.slice(0, maxPageLength).replace(/\s+/g, ' ').trim(), maxWordsLength);
}
