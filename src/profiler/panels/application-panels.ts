import { say } from '#phrases';
import type { ProfileRecord, RecordedEvent, RecordedListener } from '../model/profile-record.js';
import type { Block, RichValue, Tone, Value } from './blocks/block.js';
import { formatBytes, formatMilliseconds } from '../words/format.js';
import {
  badgeOf,
  captionOf,
  column,
  compact,
  furtherItems,
  line,
  mono,
  muted,
  note,
  numberColumn,
  pairsOf,
  placeValue,
  section,
  table,
  tableSection,
  warning,
  wideColumn,
} from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';
import type { ViewSection } from '../collectors/create-render-collector.js';
import { createSectionPanel } from './section-panel.js';
import type { DumpSection } from '../collectors/create-dump-collector.js';
import type { TranslationSection, TranslationUse } from '../collectors/create-translation-collector.js';
import { findSection } from '../collectors/define-part.js';

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
  if (event.listeners.length === 0)
    return section(event.event, line(say('Dispatched at {from}; no listeners.', { from })));
  const times = say('From {from}, for {time}.', { from, time: formatMilliseconds(event.durationMs) });
  const caption = say('Listeners of {event}, in the order in which they were called', { event: event.event });
  const listeners = table(caption, event.listeners, {
    columns: [
      numberColumn('Priority', ({ priority }) => muted(String(priority))),
      wideColumn('Listener', ({ name, place }) =>
        place === undefined ? mono(name) : placeValue({ ...place, name }, editor),
      ),
      numberColumn('Start', ({ startMs }) => muted(formatMilliseconds(startMs)), { minor: true }),
      numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
      column('Outcome', listenerOutcome),
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

/** Rendered pages and fragments with their durations. */
export const viewPanel: Panel = createSectionPanel<ViewSection>({
  id: 'view',
  title: 'Templates',
  fields: ['renders', 'more'],
  badge: ({ renders, more }) => badgeOf(renders.length + more, '{n} template|{n} templates'),
  none: 'Nothing was rendered. Components rendered by lookback are observed without setup.',
  show: ({ renders, more }) => [
    table('Templates, in their order', renders, {
      more,
      columns: [
        wideColumn('Component', componentName),
        numberColumn('Size', ({ length }) => formatBytes(length)),
        numberColumn('Duration', ({ durationMs }) => formatMilliseconds(durationMs)),
        numberColumn('After', ({ startMs }) => muted(formatMilliseconds(startMs)), { minor: true }),
      ],
      row: (_render, index) => ({ anchor: `render-${index + 1}` }),
    }),
  ],
});

function componentName({ name }: { readonly name: string }): Value {
  return mono(name === '' ? '–' : name);
}

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
        numberColumn('After', ({ offsetMs }) => muted(formatMilliseconds(offsetMs))),
        wideColumn('Value', (dump) => dumpPlace(dump, context)),
      ],
      row: ({ value: picture }) => ({
        open: true,
        detail: [{ kind: 'picture', label: 'Value', picture }],
      }),
    }),
    ...furtherItems(more, '{n} further dump was left out.|{n} further dumps were left out.', warning),
  ],
});

function dumpPlace(
  { label, name, ...place }: DumpSection['dumps'][number],
  context: PanelContext,
): RichValue {
  const named = [label, name].filter((part) => part !== '').join(' · ');
  return placeValue({ ...place, name: named }, context.editor);
}

const stateTones: Readonly<Record<TranslationUse['state'], Tone>> = {
  missing: 'warn',
  fallback: 'info',
  defined: 'neutral',
};

/** Messages that were looked up: missing ones first, then those shown in another language, then the others. */
export const translationPanel: Panel = {
  id: 'translation',
  title: 'Translation',
  section: 'translation',
  badge(record) {
    const messages = sectionOf(record)?.messages ?? [];
    const missing = messages.filter((message) => message.state === 'missing').length;
    return (
      badgeOf(missing, '{n} missing message|{n} missing messages', { tone: 'warn' }) ??
      badgeOf(messages.length, '{n} message|{n} messages')
    );
  },
  show(record) {
    const { messages, more } = sectionOf(record) ?? { messages: [], more: 0 };
    return [
      pairsOf('Locale', [['Locale of the request', mono(record.request.locale ?? 'none')]]),
      ...compact(more !== 0 && note(captionOf('Translation', { shown: messages.length, more }), 'warn')),
      ...(['missing', 'fallback', 'defined'] as const).flatMap((state) => messageTable(state, messages)),
    ];
  },
};

const stateTitles: Readonly<Record<TranslationUse['state'], string>> = {
  missing: 'Missing',
  fallback: 'Shown in another language',
  defined: 'Found',
};

function messageTable(state: TranslationUse['state'], all: readonly TranslationUse[]): readonly Block[] {
  const messages = all.filter((message) => message.state === state);
  if (messages.length === 0) return [];
  const table = tableSection(stateTitles[state], messages, {
    columns: [
      column('Key', ({ key }) => mono(key)),
      wideColumn('Text', ({ text = '' }) => text),
      column('Requested', ({ locale }) => mono(locale)),
      column('Shown in', ({ used }) => mono(used === '' ? '–' : used)),
      numberColumn('Times', ({ count }) => count),
    ],
    row: () => ({ tone: stateTones[state] }),
  });
  return [table];
}

function sectionOf(record: ProfileRecord): TranslationSection | undefined {
  return findSection<TranslationSection>(record, 'translation', ['messages', 'more']);
}
