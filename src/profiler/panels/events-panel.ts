import { say } from '../words/say.js';
import type { RecordedEvent, RecordedListener } from '../model/profile-record.js';
import type { Block, Row, Tone } from './blocks/block.js';
import { formatMilliseconds } from '../words/format.js';
import { icons } from './blocks/icons.js';
import { badgeOf, column, end, grow, line, mono, muted, note, section } from './blocks/make-blocks.js';
import { placeValue } from './blocks/place-value.js';
import type { Panel, PanelContext } from './panel.js';

/** The listeners that were called, event by event in their order, with priorities and durations. */
export const eventsPanel: Panel = {
  id: 'events',
  title: 'Events',
  icon: icons.events,
  inToolbar: false,
  badge({ events }) {
    const calls = events.reduce((sum, event) => sum + event.listeners.length, 0);
    const failed = events.flatMap((event) => event.listeners).filter((listener) => listener.failed).length;
    if (events.length === 0) return undefined;
    return failed > 0
      ? badgeOf(failed, '{n} listener threw|{n} listeners threw', { tone: 'warn' })
      : badgeOf(calls, '{n} listener call|{n} listener calls');
  },
  show: ({ events }, context) =>
    events.length === 0
      ? [note(say('No events were dispatched.'))]
      : events.map((event) => eventSection(event, context)),
};

function eventSection(event: RecordedEvent, context: PanelContext): Block {
  const from = formatMilliseconds(event.startMs);
  if (event.listeners.length === 0)
    return section(event.event, line(say('Dispatched at {from}; no listeners.', { from })));
  const times = say('From {from}, for {time}.', { from, time: formatMilliseconds(event.durationMs) });
  const table: Block = {
    kind: 'table',
    caption: say('Listeners of {event}, in the order in which they were called', { event: event.event }),
    columns: [
      end('Priority'),
      grow('Listener'),
      { ...end('Start'), minor: true },
      end('Duration'),
      column('Outcome'),
    ],
    rows: event.listeners.map((listener) => listenerRow(listener, context)),
  };
  return section(event.event, [line(times), table], { count: event.listeners.length });
}

function listenerRow(listener: RecordedListener, { editor }: PanelContext): Row {
  const tone: Tone = listener.failed ? 'error' : 'neutral';
  return {
    tone,
    cells: [
      muted(String(listener.priority)),
      listener.place === undefined
        ? mono(listener.name)
        : placeValue({ ...listener.place, name: listener.name }, editor),
      muted(formatMilliseconds(listener.startMs)),
      formatMilliseconds(listener.durationMs),
      outcomeOf(listener, tone),
    ],
  };
}

function outcomeOf(listener: RecordedListener, tone: Tone): { text: string; tone?: Tone; muted?: boolean } {
  if (listener.failed) return { text: say('threw'), tone };
  if (!listener.stopped) return muted(say('continued'));
  return { text: say('set the response; later listeners were skipped'), tone: 'info' };
}
