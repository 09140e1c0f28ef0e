import type { ProfileRecord, RecordedEvent, RecordedListener } from '../model/profile-record.js';
import type { Block, Tone, Value } from '../view/block.js';
import { formatBytes, formatCount, formatMilliseconds } from '../model/formatting.js';
import {
  blocksOf,
  compact,
  furtherItems,
  line,
  note,
  pictureBlock,
  section,
  warning,
} from '../view/make-blocks.js';
import { badgeOf, pairsOf } from '../view/make-facts.js';
import { captionOf, column, table, tableSection } from '../view/make-tables.js';
import { mono, muted, placeValue } from '../view/make-values.js';
import type { Panel, PanelContext } from './panel.js';
import type { ViewSection } from './templates/create-render-collector.js';
import { createSectionPanel } from './section-panel.js';
import type { DumpSection } from './dumps/create-dump-collector.js';
import type { TranslationSection, TranslationUse } from './translation/create-translation-collector.js';
import { findSection } from './define-part.js';

/** The listeners of each event in call order, with priorities and durations. */
export const eventsPanel: Panel = {
  id: 'events',
  title: 'Events',
  badge({ events }) {
    const calls = events.flatMap(({ listeners }) => listeners);
    const failed = calls.filter((listener) => listener.failed).length;
    return (
      badgeOf(failed, '{n} listener threw|{n} listeners threw', { tone: 'warn' }) ??
      badgeOf(calls.length, '{n} listener call|{n} listener calls')
    );
  },
  show: ({ events }, context) =>
    events.length === 0
      ? [note('No events were dispatched.')]
      : events.map((event) => eventSection(event, context)),
};

function eventSection(event: RecordedEvent, { editor }: PanelContext): Block {
  const from = formatMilliseconds(event.startMs);
  if (event.listeners.length === 0) return section(event.event, line(`Dispatched at ${from}; no listeners.`));
  const times = `From ${from}, for ${formatMilliseconds(event.durationMs)}.`;
  const caption = `Listeners of ${event.event}, in the order in which they were called`;
  const listeners = table(caption, event.listeners, {
    columns: [
      column.number('Priority', ({ priority }) => muted(String(priority))),
      column.wide('Listener', ({ name, place }) =>
        place === undefined ? mono(name) : placeValue({ ...place, name }, editor),
      ),
      column.number('Start', ({ startMs }) => muted(formatMilliseconds(startMs)), { minor: true }),
      column.duration(),
      column.plain('Outcome', listenerOutcome),
    ],
    row: ({ failed }) => ({ tone: failed ? 'error' : 'neutral' }),
  });
  return section(event.event, [line(times), listeners], { count: event.listeners.length });
}

function listenerOutcome({ failed, stopped }: RecordedListener): Value {
  if (failed) return { text: 'threw', tone: 'error' };
  if (!stopped) return muted('continued');
  return { text: 'set the response; later listeners were skipped', tone: 'info' };
}

/** Rendered pages and fragments with their durations, and the templates of the `html` tag with their uses. */
export const viewPanel: Panel = createSectionPanel<ViewSection>({
  id: 'view',
  title: 'Templates',
  fields: ['renders', 'more'],
  badge: ({ renders, more, templates = [] }) =>
    badgeOf(renders.length + more + templates.length, '{n} template|{n} templates'),
  none: 'Nothing was rendered. Components rendered by lookback, and templates of html, are observed without setup.',
  show: ({ renders, more, templates = [], moreTemplates = 0 }, _record, { editor }) =>
    blocksOf(
      (renders.length + more > 0 || templates.length === 0) &&
        table('Templates, in their order', renders, {
          more,
          columns: [
            column.wide('Component', ({ name }) => mono(name || '–')),
            column.number('Size', ({ length }) => formatBytes(length)),
            column.duration(),
            column.after(({ startMs }) => startMs, { minor: true }),
          ],
          row: (_render, index) => ({ anchor: `render-${index + 1}` }),
        }),
      templates.length > 0 &&
        table('Templates of html, inner ones first', templates, {
          columns: [
            column.wide('Template', (template) => placeValue(template, editor)),
            column.number('Times', ({ count }) => formatCount(count)),
            column.number('Size', ({ length }) => formatBytes(length)),
            column.after(({ startMs }) => startMs, { minor: true }),
          ],
        }),
      furtherItems(
        moreTemplates,
        '{n} use of further templates was left out.|{n} uses of further templates were left out.',
      ),
    ),
});

/** Values that the application passed to `dump()`, in order, each with its call site. */
export const dumpPanel: Panel = createSectionPanel<DumpSection>({
  id: 'dump',
  title: 'Dumps',
  fields: ['dumps', 'more'],
  badge: ({ dumps, more }) => badgeOf(dumps.length + more, '{n} dump|{n} dumps'),
  none: 'No dumps. dump(value) of lookback puts a value here.',
  show: ({ dumps, more }, _record, context) => [
    table('Dumps', dumps, {
      columns: [
        column.after(({ offsetMs }) => offsetMs),
        column.wide('Value', ({ label, name, ...place }) =>
          placeValue(
            { ...place, name: compact(label !== '' && label, name !== '' && name).join(' · ') },
            context.editor,
          ),
        ),
      ],
      row: ({ value }) => ({ open: true, detail: [pictureBlock('Value', value)] }),
    }),
    furtherItems(more, '{n} further dump was left out.|{n} further dumps were left out.', warning),
  ],
});

/** The states of a message in the order in which they are shown. */
const states: readonly { state: TranslationUse['state']; title: string; tone: Tone }[] = [
  { state: 'missing', title: 'Missing', tone: 'warn' },
  { state: 'fallback', title: 'Shown in another language', tone: 'info' },
  { state: 'defined', title: 'Found', tone: 'neutral' },
];

/** Messages that were looked up: missing ones first, then those shown in another language, then the others. */
export const translationPanel: Panel = {
  id: 'translation',
  title: 'Translation',
  section: 'translation',
  badge(record) {
    const { messages } = translationOf(record);
    const missing = messages.filter((message) => message.state === 'missing').length;
    return (
      badgeOf(missing, '{n} missing message|{n} missing messages', { tone: 'warn' }) ??
      badgeOf(messages.length, '{n} message|{n} messages')
    );
  },
  show(record) {
    const { messages, more } = translationOf(record);
    return blocksOf(
      pairsOf('Locale', [['Locale of the request', mono(record.request.locale ?? 'none')]]),
      more !== 0 && warning(captionOf('Translation', { shown: messages.length, more })),
      states.map(({ state, title, tone }) => {
        const uses = messages.filter((message) => message.state === state);
        return uses.length > 0 && messageTable(title, uses, tone);
      }),
    );
  },
};

function messageTable(title: string, uses: readonly TranslationUse[], tone: Tone): Block {
  return tableSection(title, uses, {
    columns: [
      column.plain('Key', ({ key }) => mono(key)),
      column.wide('Text', ({ text = '' }) => text),
      column.plain('Requested', ({ locale }) => mono(locale)),
      column.plain('Shown in', ({ used }) => mono(used || '–')),
      column.number('Times', ({ count }) => count),
    ],
    row: () => ({ tone }),
  });
}

function translationOf(record: ProfileRecord): TranslationSection {
  const section = findSection<TranslationSection>(record, 'translation', ['messages', 'more']);
  return section ?? { messages: [], more: 0 };
}
