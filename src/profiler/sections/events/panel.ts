import type { RecordedEvent, RecordedListener } from '../../model/profile-record.js';
import type { Block, Value } from '../../view/block.js';
import { formatMilliseconds } from '../../model/formatting.js';
import { blocksOf, line, note, section } from '../../view/make-blocks.js';
import { badgeOf } from '../../view/make-facts.js';
import { column, table, tableSection } from '../../view/make-tables.js';
import { mono, muted, locationValue } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';

/** Each event's listeners in call order, with priorities and durations. */
export const eventsPanel: Panel = {
  id: 'events',
  title: 'Events',
  group: 'process',
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
      : blocksOf(
          events.map((event) => eventSection(event, context)),
          notCalledSection(
            events.flatMap(({ notCalled = [] }) => notCalled),
            context,
          ),
        ),
};

function notCalledSection(
  listeners: NonNullable<RecordedEvent['notCalled']>,
  { editor }: PanelContext,
): Block | undefined {
  if (listeners.length === 0) return undefined;
  return tableSection('Listeners not called', listeners, {
    caption: 'Listeners that were not called, and why',
    columns: [
      column.plain('Event', ({ event }) => mono(event)),
      column.number('Priority', ({ priority }) => muted(String(priority))),
      column.wide('Listener', ({ name, location }) =>
        location === undefined ? mono(name) : locationValue({ ...location, name }, editor),
      ),
      column.wide('Why', ({ why }) => why),
    ],
  });
}

function eventSection(event: RecordedEvent, { editor }: PanelContext): Block {
  const from = formatMilliseconds(event.startMs);
  if (event.listeners.length === 0) return section(event.event, line(`Dispatched at ${from}; no listeners.`));
  const times = `From ${from}, for ${formatMilliseconds(event.durationMs)}.`;
  const caption = `Listeners of ${event.event}, in the order in which they were called`;
  const listeners = table(caption, event.listeners, {
    columns: [
      column.number('Priority', ({ priority }) => muted(String(priority))),
      column.wide('Listener', ({ name, location }) =>
        location === undefined ? mono(name) : locationValue({ ...location, name }, editor),
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
