import type { VNode } from 'preact';
import { breakdownOf } from '../../form/time-breakdown.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { Block } from '../../panels/blocks/block.js';
import { formatMilliseconds } from '../../words/format.js';
import { BlockList } from '../blocks/block-view.js';
import { BreakdownFigures } from '../blocks/breakdown-bar.js';
import { StatusChip } from '../blocks/status.js';
import { Time } from '../blocks/value-view.js';
import type { ProfilerLinks } from '../site/links.js';
import { splitUrl } from '../site/split-url.js';
import { say } from '../../words/say.js';

/** What differs in one panel; nothing where its blocks are empty. */
export interface PanelDifference {
  readonly title: string;
  readonly blocks: readonly Block[];
}

interface ComparisonProps {
  readonly records: readonly [ProfileRecord, ProfileRecord];
  readonly panels: readonly PanelDifference[];
  readonly links: ProfilerLinks;
}

/** Two records beside each other, and below them what differs, panel by panel. */
export function ComparisonPage({ records, panels, links }: ComparisonProps): VNode {
  const [a, b] = records;
  const alike = panels.filter(({ blocks }) => blocks.length === 0).map(({ title }) => title);
  return (
    <div class="comparison">
      <h1>{say('Two requests compared')}</h1>
      <div class="side-by-side">
        <Side name="A" record={a} links={links} />
        <Side name="B" record={b} links={links} />
      </div>
      <p>
        <a href={links.compare(b.token, a.token)}>{say('Swap A and B')}</a>
      </p>
      {alike.length > 0 && (
        <p class="muted">{say('No difference: {panels}.', { panels: alike.join(', ') })}</p>
      )}
      {panels
        .filter(({ blocks }) => blocks.length > 0)
        .map(({ title, blocks }) => (
          <section class="panel" aria-label={title}>
            <h2>{title}</h2>
            <BlockList blocks={blocks} level={3} />
          </section>
        ))}
    </div>
  );
}

function Side({ name, record, links }: { name: string; record: ProfileRecord; links: ProfilerLinks }): VNode {
  const [path, query] = splitUrl(record.request.url);
  return (
    <div>
      <h2>
        {name}: <a href={links.record(record.token)}>{`${record.request.method} ${path}${query}`}</a>
      </h2>
      <p>
        <StatusChip status={record.response?.status ?? 0} compact={false} />{' '}
        {formatMilliseconds(record.durationMs)} · <Time at={record.startedAt} /> ·{' '}
        <span class="mono">{record.token}</span>
      </p>
      <BreakdownFigures breakdown={breakdownOf(record)} />
    </div>
  );
}
