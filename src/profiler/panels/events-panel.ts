import type { RecordedEvent, RecordedListener } from '../model/profile-record.js';
import type { Block, Row, Tone } from './blocks/block.js';
import { formatMilliseconds, plural } from './blocks/format.js';
import { icons } from './blocks/icons.js';
import type { Panel } from './panel.js';

/** The listeners that were called, event by event in their order, with priorities and durations. */
export const eventsPanel: Panel = {
  id: 'events',
  title: 'Events',
  icon: icons.events,
  badge({ events }) {
    const calls = events.reduce((sum, event) => sum + event.listeners.length, 0);
    const failed = events.flatMap((event) => event.listeners).filter((listener) => listener.failed).length;
    if (events.length === 0) return undefined;
    return failed > 0
      ? { count: failed, tone: 'warn', words: `${plural(failed, 'listener')} threw` }
      : { count: calls, tone: 'neutral', words: plural(calls, 'listener call') };
  },
  show: ({ events }) =>
    events.length === 0
      ? [{ kind: 'note', tone: 'neutral', text: 'No events were dispatched.' }]
      : events.map(eventSection),
};

function eventSection(event: RecordedEvent): Block {
  const from = formatMilliseconds(event.startMs);
  if (event.listeners.length === 0) {
    const nobody: Block = { kind: 'text', text: `Dispatched at ${from}; no listeners.` };
    return { kind: 'section', title: event.event, blocks: [nobody] };
  }
  const times = `From ${from}, for ${formatMilliseconds(event.durationMs)}.`;
  return {
    kind: 'section',
    title: event.event,
    count: event.listeners.length,
    blocks: [
      { kind: 'text', text: times },
      {
        kind: 'table',
        caption: `Listeners of ${event.event}, in the order in which they were called`,
        columns: [
          { label: 'Priority', align: 'end' },
          { label: 'Listener', grow: true },
          { label: 'Start', align: 'end', minor: true },
          { label: 'Duration', align: 'end' },
          { label: 'Outcome' },
        ],
        rows: event.listeners.map(listenerRow),
        empty: 'No listeners.',
      },
    ],
  };
}

function listenerRow(listener: RecordedListener): Row {
  const tone: Tone = listener.failed ? 'error' : 'neutral';
  return {
    tone,
    cells: [
      { text: String(listener.priority), mono: true, muted: true },
      { text: listener.name, mono: true },
      { text: formatMilliseconds(listener.startMs), mono: true, muted: true },
      { text: formatMilliseconds(listener.durationMs), mono: true },
      outcomeOf(listener, tone),
    ],
  };
}

function outcomeOf(listener: RecordedListener, tone: Tone): { text: string; tone?: Tone; muted?: boolean } {
  if (listener.failed) return { text: 'threw', tone };
  if (!listener.stopped) return { text: 'continued', muted: true };
  return { text: 'set the response; later listeners were skipped', tone: 'info' };
}
