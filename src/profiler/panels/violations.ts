import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from './blocks/block.js';
import { badgeOf, column, wideColumn, line, mono, tableSection } from './blocks/make-blocks.js';
import type { Panel } from './panel.js';

/** Maximum number of listed violations. */
const maxViolations = 100;
const maxMessageLength = 500;

/** A refused value, and the reason. */
interface Violation {
  readonly field: string;
  readonly message: string;
}

/**
 * Lists the violations in the body of a 400 or 422 response, regardless of which code created it. Recognises problem
 * documents of RFC 9457 with `violations` or `errors`, and the formats of common validators (`issues`, `details`).
 */
function violationBlocks({ response }: ProfileRecord): readonly Block[] {
  if (response === null || !mayNameViolations(response.status)) return [];
  const violations = violationsIn(response.body?.content ?? '');
  if (violations.length === 0) return [];
  return [
    tableSection('Validation', violations, {
      caption: 'What was refused, as the response says it',
      columns: [
        column('Field', ({ field }) => mono(field === '' ? '–' : field)),
        wideColumn('Message', ({ message }) => message),
      ],
      row: () => ({ tone: 'warn' }),
    }),
  ];
}

function mayNameViolations(status: number): boolean {
  return status === 422 || status === 400;
}

function violationsIn(body: string): readonly Violation[] {
  if (!body.trimStart().startsWith('{') && !body.trimStart().startsWith('[')) return [];
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    return []; // truncated, or not JSON
  }
  const lists = isObject(data)
    ? ['violations', 'errors', 'issues', 'details'].map((name) => data[name])
    : [data];
  const list = lists.find((value) => Array.isArray(value) || isObject(value));
  if (Array.isArray(list)) return list.slice(0, maxViolations).flatMap((item: unknown) => violationOf(item));
  // Laravel and others: an object with a list of messages per field.
  if (!isObject(list)) return [];
  return Object.entries(list)
    .slice(0, maxViolations)
    .flatMap(([field, messages]) => {
      const message = Array.isArray(messages) ? messages.filter(isText).join(' ') : messages;
      return isText(message) && message !== ''
        ? [{ field, message: message.slice(0, maxMessageLength) }]
        : [];
    });
}

function violationOf(item: unknown): readonly Violation[] {
  if (isText(item)) return [{ field: '', message: item.slice(0, maxMessageLength) }];
  if (!isObject(item)) return [];
  const message = ['message', 'title', 'msg', 'detail'].map((name) => item[name]).find(isText);
  if (message === undefined) return [];
  const place = ['propertyPath', 'path', 'pointer', 'instancePath', 'field', 'loc'].map((name) => item[name]);
  const field = place.map(pathText).find((text) => text !== '') ?? '';
  return [{ field, message: message.slice(0, maxMessageLength) }];
}

function pathText(path: unknown): string {
  if (isText(path)) return path.slice(0, maxMessageLength);
  if (!Array.isArray(path)) return '';
  return path
    .filter((part) => isText(part) || typeof part === 'number')
    .join('.')
    .slice(0, maxMessageLength);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The violations because of which the request was refused. */
export const validationPanel: Panel = {
  id: 'validation',
  title: 'Validation',
  badge(record) {
    const [found] = violationBlocks(record);
    const count = found?.kind === 'section' ? (found.count ?? 0) : 0;
    return badgeOf(count, '{n} refused value|{n} refused values', { tone: 'warn' });
  },
  show(record) {
    const blocks = violationBlocks(record);
    if (blocks.length > 0) return blocks;
    const status = record.response?.status ?? 0;
    return [
      line(
        mayNameViolations(status)
          ? `The response is a ${status}, but what was recorded of its body names no refused value. The exception may say more.`
          : 'No input was refused.',
      ),
    ];
  },
};
