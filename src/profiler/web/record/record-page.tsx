import type { VNode } from 'preact';
import type { Panel } from '../../panels/panel.js';
import type { Block, PanelBadge } from '../../panels/blocks/block.js';
import { say, sayKnown } from '../../words/say.js';
import { BlockList } from '../blocks/block-view.js';
import { Icon } from '../blocks/icon.js';
import { RecordSummary, type ShownRecord } from './record-summary.js';

export interface RecordPageData extends ShownRecord {
  readonly chosen: Panel;
  readonly blocks: readonly Block[];
}

/** The page of a record: summary, menu of panels, and the selected panel. */
export function RecordPage({ data }: { data: RecordPageData }): VNode {
  const { chosen } = data;
  return (
    <>
      <RecordSummary {...data} panel={chosen.id} />
      <div class="columns">
        <PanelMenu data={data} />
        <section class="panel" aria-labelledby="panel-title">
          <h2 id="panel-title">{sayKnown(chosen.title)}</h2>
          <BlockList blocks={data.blocks} level={3} />
        </section>
      </div>
    </>
  );
}

function PanelMenu({ data }: { data: RecordPageData }): VNode {
  return (
    <nav class="menu" aria-label={say('Panels')}>
      <ul>
        {data.menu.map(({ panel, badge, letter }) => (
          <li>
            <a
              href={data.links.record(data.record.token, { panel: panel.id })}
              class={badge === undefined ? 'blank' : undefined}
              data-go={letter}
              title={letter === undefined ? undefined : `g ${letter}`}
              aria-current={panel === data.chosen ? 'page' : undefined}
            >
              <Icon path={panel.icon} />
              {sayKnown(panel.title)}
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
