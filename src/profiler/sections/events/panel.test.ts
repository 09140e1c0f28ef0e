import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dump } from '#core/dump';
import type { EditorLinker } from '#core/errors';
import { panelOutline } from '../../../../test/profiler/page-outline.js';
import { badgeOf, plain, textOf } from '../../../../test/profiler/plain-record.js';
import { translationPanel } from '../translation/panel.js';
import { dumpPanel } from '../dumps/panel.js';
import { viewPanel } from '../templates/panel.js';
import { eventsPanel } from './panel.js';

describe('the events panel', () => {
  const listener = { name: 'l', priority: 5, startMs: 1, durationMs: 2, stopped: false, failed: false };

  it('counts calls, and failed ones first', () => {
    const events = [
      { event: 'request', startMs: 0, durationMs: 3, listeners: [listener, { ...listener, stopped: true }] },
      { event: 'quiet', startMs: 4, durationMs: 0, listeners: [] },
    ];
    assert.deepEqual(badgeOf(eventsPanel, { events }), {
      count: 2,
      tone: 'neutral',
      words: '2 listener calls',
    });
    const failed = [
      { ...events[0], event: 'x', startMs: 0, durationMs: 0, listeners: [{ ...listener, failed: true }] },
    ];
    assert.deepEqual(badgeOf(eventsPanel, { events: failed }), {
      count: 1,
      tone: 'warn',
      words: '1 listener threw',
    });
    const text = textOf(eventsPanel, { events: [...events, ...failed] });
    assert.match(
      text,
      /continued[^]*set the response; later listeners were skipped[^]*no listeners[^]*threw/,
    );
    assert.match(textOf(eventsPanel, {}), /No events were dispatched/);
  });
});

const editor: EditorLinker = (file, line, column) => ({
  href: `vscode://file${file}:${line}:${column}`,
  scheme: 'vscode',
});

describe("the application's panels", () => {
  it('show templates with their sizes, dumps with their locations, and how many were omitted', () => {
    const renders = [
      { name: 'Page', length: 2048, durationMs: 2, startMs: 1 },
      { name: '', length: 1, durationMs: 1, startMs: 4 },
    ];
    assert.equal(
      panelOutline(viewPanel, { sections: { view: { renders, more: 3 } } }),
      `
div role=group aria-label=Templates, in their order, the first 2 of 5 tabindex=0
  table
    caption: Templates, in their order, the first 2 of 5
    th scope=col: Component
    th scope=col .end: Size
    th scope=col .end: Duration
    th scope=col .end .minor: Start
    tr id=render-1
      | Page
      td .end: 2.0 KiB
      td .end: 2.00 ms
      td .end .minor
        span .muted: 1.00 ms
    tr id=render-2
      | –
      td .end: 1 B
      td .end: 1.00 ms
      td .end .minor
        span .muted: 4.00 ms
`,
    );
    assert.deepEqual(badgeOf(viewPanel, { sections: { view: { renders, more: 3 } } }), {
      count: 5,
      tone: 'neutral',
      words: '5 templates',
    });
    const location = { file: '/srv/app/shop.ts', line: 3, column: 7 };
    const dumps = [
      { label: 'cart', name: 'show', offsetMs: 1, value: dump({ a: 1 }), ...location },
      { label: '', name: '', offsetMs: 2, value: dump(1), ...location },
    ];
    assert.equal(
      panelOutline(dumpPanel, { sections: { dump: { dumps, more: 1 } } }, {}, { editor }),
      `
div role=group aria-label=Dumps tabindex=0
  table
    caption: Dumps
    th scope=col .end: At
    th scope=col: Value
    td .end
      span .muted: 1.00 ms
    a href=vscode://file/srv/app/shop.ts:3:7: cart · show (/srv/app/shop.ts:3)
    div role=group aria-label=Value
      details open
        summary
          | {
          | …}
        | a
        | :
        | 1
        | }
    td .end
      span .muted: 2.00 ms
    a href=vscode://file/srv/app/shop.ts:3:7: /srv/app/shop.ts:3
    div role=group aria-label=Value: 1
p .note-warn: 1 further dump was left out.
`,
    );
    assert.deepEqual(badgeOf(dumpPanel, { sections: { dump: { dumps, more: 1 } } }), {
      count: 3,
      tone: 'neutral',
      words: '3 dumps',
    });
  });

  it('show event listeners with their outcome', () => {
    const listener = {
      name: 'router',
      priority: 32,
      startMs: 1,
      durationMs: 2,
      stopped: false,
      failed: false,
    };
    const location = { file: '/srv/app/shop.ts', line: 3, column: 7 };
    const events = [
      {
        event: 'request',
        startMs: 0.5,
        durationMs: 3,
        listeners: [
          listener,
          { ...listener, name: 'own', location, stopped: true },
          { ...listener, name: 'bad', failed: true },
        ],
      },
      { event: 'view', startMs: 4, durationMs: 0, listeners: [] },
    ];
    assert.equal(
      panelOutline(eventsPanel, { events }, {}, { editor }),
      `
h3
  | request
  | 3
p .muted: From 0.50 ms, for 3.00 ms.
div role=group aria-label=Listeners of request, in the order in which they were called tabindex=0
  table
    caption: Listeners of request, in the order in which they were called
    th scope=col .end: Priority
    th scope=col: Listener
    th scope=col .end .minor: Start
    th scope=col .end: Duration
    th scope=col: Outcome
    td .end
      span .muted: 32
    | router
    td .end .minor
      span .muted: 1.00 ms
    td .end: 2.00 ms
    span .muted: continued
    td .end
      span .muted: 32
    a href=vscode://file/srv/app/shop.ts:3:7: own (/srv/app/shop.ts:3)
    td .end .minor
      span .muted: 1.00 ms
    td .end: 2.00 ms
    span .tone-info: set the response; later listeners were skipped
    tr .row-error
      td .end
        span .muted: 32
      | bad
      td .end .minor
        span .muted: 1.00 ms
      td .end: 2.00 ms
      span .tone-error: threw
h3: view
p .muted: Dispatched at 4.00 ms; no listeners.
`,
    );
    assert.deepEqual(badgeOf(eventsPanel, { events }), { count: 1, tone: 'warn', words: '1 listener threw' });
    const fine = [{ event: 'request', startMs: 0, durationMs: 1, listeners: [listener] }];
    assert.deepEqual(badgeOf(eventsPanel, { events: fine }), {
      count: 1,
      tone: 'neutral',
      words: '1 listener call',
    });
  });

  it('show messages by state, each in its tone', () => {
    const message = { key: 'title', locale: 'de', used: 'en', count: 2 };
    const messages = [
      { ...message, state: 'defined', text: 'Titel' },
      { ...message, state: 'missing', used: '' },
      { ...message, state: 'fallback' },
    ];
    assert.equal(
      panelOutline(translationPanel, {
        sections: { translation: { messages, more: 4 } },
        request: { ...plain.request, locale: 'de' },
      }),
      `
dl aria-label=Locale
  | Locale of the request
  | de
p .note-warn: Translation, the first 3 of 7
h3
  | Missing
  | 1
div role=group aria-label=Missing tabindex=0
  table
    caption: Missing
    th scope=col: Key
    th scope=col: Text
    th scope=col: Requested
    th scope=col: Shown in
    th scope=col .end: Times
    tr .row-warn
      | title
      span .muted: empty
      | de
      | –
      td .end: 2
h3
  | Shown in another language
  | 1
div role=group aria-label=Shown in another language tabindex=0
  table
    caption: Shown in another language
    th scope=col: Key
    th scope=col: Text
    th scope=col: Requested
    th scope=col: Shown in
    th scope=col .end: Times
    tr .row-info
      | title
      span .muted: empty
      | de
      | en
      td .end: 2
h3
  | Found
  | 1
div role=group aria-label=Found tabindex=0
  table
    caption: Found
    th scope=col: Key
    th scope=col: Text
    th scope=col: Requested
    th scope=col: Shown in
    th scope=col .end: Times
    | title
    | Titel
    | de
    | en
    td .end: 2
`,
    );
    assert.doesNotMatch(
      panelOutline(translationPanel, { sections: { translation: { messages, more: 0 } } }),
      /first 3/,
    );
  });
});
