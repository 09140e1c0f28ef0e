import { say } from '#phrases';
import type { RecordedEvent, RecordedListener } from '../model/profile-record.js';
import type { Block, Value } from './blocks/block.js';
import { formatMilliseconds } from '../words/format.js';
import {
  badgeOf,
  column,
  numberColumn,
  wideColumn,
  line,
  mono,
  muted,
  note,
  section,
  table,
  placeValue,
} from './blocks/make-blocks.js';
import type { Panel, PanelContext } from './panel.js';

/** The listeners of each event in call order, with priorities and durations. */
export const eventsPanel: Panel = {
  id: 'events',
  title: 'Events',
  inToolbar: false,
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
      column('Outcome', outcomeOf),
    ],
    row: ({ failed }) => ({ tone: failed ? 'error' : 'neutral' }),
  });
  return section(event.event, [line(times), listeners], { count: event.listeners.length });
}

function outcomeOf({ failed, stopped }: RecordedListener): Value {
  if (failed) return { text: 'threw', tone: 'error' };
  if (!stopped) return muted('continued');
  return { text: 'set the response; later listeners were skipped', tone: 'info' };
}
