import { compileForm, type InputOf, type OutputOf } from './form.js';
import type { Kind } from './kinds.js';

/**
 * Form of a record, without its summary and its sections. A change of the form requires a new `recordSchema`.
 */
const recordForm = {
  request: {
    httpVersion: 'word',
    address: 'text',
    port: 'count',
    locale: 'word?',
    headers: 'headers',
    body: [
      '?',
      {
        encoding: 'word',
        content: 'text',
        contentType: 'word',
        bytes: 'count',
        cut: 'flag',
        isUnread: 'flag',
      },
    ],
    rawHead: 'text?',
  },
  response: [
    '?',
    {
      headers: 'headers',
      bodyBytes: 'count',
      body: [
        '?',
        {
          encoding: 'word',
          content: 'text',
          contentType: 'word',
          bytes: 'count',
          cut: 'flag',
          isUnread: 'flag',
        },
      ],
    },
  ],
  route: [
    '?',
    {
      path: 'word?',
      parameters: [{ name: 'word', value: 'taken' }],
      isUntraced: 'flag',
      trace: 'terms',
      allow: ['word'],
    },
  ],
  controller: [
    '?',
    { name: 'word', file: 'word?', line: 'count?', arguments: [{ name: 'word', value: 'taken' }] },
  ],
  spans: 'spans',
  logs: {
    lines: [{ level: 'word', channel: 'word', message: 'text', offsetMs: 'ms', context: 'taken?' }],
    byLevel: ['count'],
    omitted: 'count',
    omittedAfter: 'count',
  },
  exception: 'terms',
  children: ['text'],
  runtime: {
    rss: 'count',
    heapUsed: 'count',
    heapTotal: 'count',
    external: 'count',
    meanDelayMs: 'ms',
    maxDelayMs: 'ms',
    utilization: 'value',
  },
  sampledMsAgo: 'ms',
  limits: [{ what: 'word', kept: 'count', total: 'count', limit: 'count' }],
} as const;

export type RecordInput = InputOf<typeof recordForm>;
export type ReadRecord = OutputOf<typeof recordForm>;

export const recordKind: Kind<RecordInput, ReadRecord> = compileForm(recordForm);

/** Form of the cost of a record. It is written last, because it includes the cost of writing the rest. */
const costForm = { recordMs: 'ms', bytes: 'count' } as const;
export const costKind: Kind<InputOf<typeof costForm>, OutputOf<typeof costForm>> = compileForm(costForm);
