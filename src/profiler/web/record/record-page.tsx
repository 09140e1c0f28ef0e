import type { VNode } from 'preact';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../panels/blocks/block.js';
import type { Panel, PanelBadge } from '../../panels/panel.js';
import { BlockList } from '../blocks/block-view.js';
import { Icon } from '../blocks/icon.js';
import type { Neighbours } from '../lookup/find-neighbours.js';
import type { ProfilerLinks } from '../site/links.js';
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
  const { record, chosen, links } = data;
  return (
    <>
      <NeighbourLinks data={data} />
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

function NeighbourLinks({
  data: { neighbours, links, chosen, record },
}: {
  data: RecordPageData;
}): VNode | null {
  const { older, newer } = neighbours;
  const children = record.children ?? [];
  if (older === undefined && newer === undefined && record.parent === undefined && children.length === 0)
    return null;
  return (
    <nav class="neighbours" aria-label="Records beside this one">
      {older !== undefined && (
        <a href={links.record(older, { panel: chosen.id })} rel="prev" data-key="[">
          <span>← Older</span>
          <span class="mono">{older}</span>
        </a>
      )}
      {newer !== undefined && (
        <a href={links.record(newer, { panel: chosen.id })} rel="next" data-key="]">
          <span class="mono">{newer}</span>
          <span>Newer →</span>
        </a>
      )}
      {record.parent !== undefined && (
        <a href={links.record(record.parent)} rel="up">
          <span>Made by</span>
          <span class="mono">{record.parent}</span>
        </a>
      )}
      {children.slice(0, 20).map((child) => (
        <a href={links.record(child)}>
          <span>Made</span>
          <span class="mono">{child}</span>
        </a>
      ))}
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
