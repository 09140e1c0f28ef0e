import type { VNode } from 'preact';
import { say } from '#phrases';
import type { Panel } from '../../panels/panel.js';
import type { Block, PanelBadge } from '../../panels/blocks/block.js';
import { BlockList } from '../blocks/block-view.js';
import { RecordHeader, type ShownRecord } from './record-header.js';

/** Menu entry of a panel. */
export interface MenuEntry {
  readonly panel: Panel;
  readonly badge: PanelBadge | 'plain' | undefined;
  /** Key that opens the panel after `g`: the first letter of its id that no earlier panel uses. */
  readonly letter: string | undefined;
}

export interface RecordPageData extends ShownRecord {
  readonly menu: readonly MenuEntry[];
  readonly chosen: Panel;
  readonly blocks: readonly Block[];
}

/** The page of a record: header, menu of panels, and the selected panel. */
export function RecordPage({ data }: { data: RecordPageData }): VNode {
  const { chosen, blocks } = data;
  const isAnswered = blocks[0]?.kind === 'answer';
  const lead = isAnswered ? 0 : leadOf(blocks);
  return (
    <>
      <RecordHeader {...data} panel={chosen.id} />
      <div class="columns">
        <PanelMenu data={data} />
        <section class="panel" aria-labelledby="panel-title">
          <div class={isAnswered ? 'visually-hidden' : 'head'}>
            <h2 id="panel-title">{chosen.title}</h2>
            <BlockList blocks={blocks.slice(0, lead)} level={3} />
          </div>
          <BlockList blocks={blocks.slice(lead)} level={3} />
        </section>
      </div>
    </>
  );
}

/** Returns how many of the first blocks stand in the line of the title: figures, a sentence, and filters. */
function leadOf(blocks: readonly Block[]): number {
  const fits: readonly Block['kind'][] = ['metrics', 'text', 'filters'];
  const at = blocks.findIndex(({ kind }) => !fits.includes(kind));
  return blocks.length === 1 ? 0 : Math.min(at === -1 ? blocks.length : at, 2);
}

/** Panels about the request itself and about the process; all others show what the request did. */
const groups: Readonly<Record<string, readonly string[]>> = {
  Request: ['request', 'routing', 'security', 'translation'],
  Process: ['events', 'config', 'self', 'more'],
};
const grouped = Object.values(groups).flat();

function PanelMenu({ data }: { data: RecordPageData }): VNode {
  const shown = data.menu.filter(({ badge }) => badge !== undefined);
  const empty = data.menu.filter(({ badge }) => badge === undefined);
  const links = (entries: readonly MenuEntry[]): VNode[] =>
    entries.map(({ panel, letter, badge }) => (
      <a
        href={data.links.record(data.record.token, { panel: panel.id })}
        data-go={letter}
        title={letter === undefined ? undefined : `g ${letter}`}
        aria-current={panel === data.chosen ? 'page' : undefined}
      >
        <span class="name">{panel.title}</span>
        {badge !== undefined && badge !== 'plain' && (
          <span class={`badge is-${badge.tone}`}>
            <span aria-hidden="true">{badge.count}</span>
            <span class="visually-hidden">{badge.words}</span>
          </span>
        )}
      </a>
    ));
  return (
    <nav class="menu" aria-label="Panels">
      {links(shown.filter(({ panel }) => !grouped.includes(panel.id)))}
      {Object.entries(groups).map(([title, ids]) => [
        <span class="group">{title}</span>,
        links(shown.filter(({ panel }) => ids.includes(panel.id))),
      ])}
      {empty.length > 0 && (
        <details open={empty.some(({ panel }) => panel === data.chosen)}>
          <summary>{say('{n} empty', { n: empty.length })}</summary>
          {links(empty)}
        </details>
      )}
    </nav>
  );
}
