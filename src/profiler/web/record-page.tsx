import type { VNode } from 'preact';
import type { ProfileRecord } from '../model/profile-record.js';
import type { Block } from '../panels/block.js';
import type { Panel, PanelBadge } from '../panels/panel.js';
import { BlockList } from './blocks/block-view.js';
import { Icon } from './blocks/icon.js';
import type { Neighbours } from './find-neighbours.js';
import type { ProfilerLinks } from './links.js';
import type { MenuEntry } from './menu-entry.js';
import { RecordSummary } from './record-summary.js';

export interface RecordPageData {
  readonly record: ProfileRecord;
  readonly menu: readonly MenuEntry[];
  readonly chosen: Panel;
  readonly blocks: readonly Block[];
  readonly links: ProfilerLinks;
  readonly neighbours: Neighbours;
}

/** One record: summary, menu of panels, and the chosen panel. */
export function RecordPage({ data }: { data: RecordPageData }): VNode {
  const { record, chosen, links, neighbours } = data;
  return (
    <>
      <NeighbourLinks neighbours={neighbours} links={links} panel={chosen.id} />
      <RecordSummary record={record} menu={data.menu} links={links} />
      <div class="columns">
        <PanelMenu data={data} />
        <section class="panel" aria-labelledby="panel-title">
          <h2 id="panel-title">{chosen.title}</h2>
          <BlockList blocks={data.blocks} level={3} />
        </section>
      </div>
    </>
  );
}

function NeighbourLinks(props: {
  neighbours: Neighbours;
  links: ProfilerLinks;
  panel: string;
}): VNode | null {
  const { neighbours, links, panel } = props;
  if (neighbours.older === undefined && neighbours.newer === undefined) return null;
  return (
    <nav class="neighbours" aria-label="Records beside this one">
      {neighbours.older !== undefined && (
        <a href={links.record(neighbours.older, { panel })} rel="prev" data-key="[">
          <span>← Older</span>
          <span class="mono">{neighbours.older}</span>
        </a>
      )}
      {neighbours.newer !== undefined && (
        <a href={links.record(neighbours.newer, { panel })} rel="next" data-key="]">
          <span class="mono">{neighbours.newer}</span>
          <span>Newer →</span>
        </a>
      )}
    </nav>
  );
}

function PanelMenu({ data }: { data: RecordPageData }): VNode {
  return (
    <nav class="menu" aria-label="Panels">
      <ul>
        {data.menu.map(({ panel, badge }) => (
          <li>
            <a
              href={data.links.record(data.record.token, { panel: panel.id })}
              class={badge === undefined ? 'blank' : undefined}
              aria-current={panel === data.chosen ? 'page' : undefined}
            >
              <Icon path={panel.icon} />
              {panel.title}
              <Badge badge={badge} />
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Badge({ badge }: { badge: PanelBadge | 'plain' | undefined }): VNode | null {
  if (badge === undefined || badge === 'plain') return null;
  return (
    <span class={`count is-${badge.tone}`}>
      <span aria-hidden="true">{badge.count}</span>
      <span class="visually-hidden">{badge.words}</span>
    </span>
  );
}
