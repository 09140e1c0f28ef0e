import type { VNode } from 'preact';
import type { ProfileRecord } from '../../model/profile-record.js';
import { icons } from '../../panels/blocks/icons.js';
import { formatMilliseconds } from '../../panels/blocks/format.js';
import { Icon } from '../blocks/icon.js';
import { CopyButton, Time } from '../blocks/value-view.js';
import type { ProfilerLinks } from '../site/links.js';
import type { MenuEntry } from './menu-entry.js';
import { splitUrl } from '../site/split-url.js';
import { StatusChip, statusLook } from '../blocks/status.js';

/** The bar at the top of a record: what was asked, how it was answered, what it cost, and what deserves a look. */
export function RecordSummary(props: {
  record: ProfileRecord;
  menu: readonly MenuEntry[];
  links: ProfilerLinks;
}): VNode {
  const { record, menu, links } = props;
  const status = record.response?.status ?? 0;
  const { tone } = statusLook(status);
  const [path, query] = splitUrl(record.request.url);
  return (
    <header class={`summary is-${record.state === 'complete' || tone === 'error' ? tone : 'warn'}`}>
      <div class="summary-line">
        <StatusChip status={status} compact={false} />
        <h1>
          <b>{record.request.method}</b>
          {path}
          <span class="query">{query}</span>
        </h1>
        <Actions record={record} links={links} />
      </div>
      <dl class="meta">
        <Fact name="Route">{record.route?.name ?? <span class="muted">none</span>}</Fact>
        <Fact name="Controller">{record.controller?.name ?? <span class="muted">none</span>}</Fact>
        <Fact name="Duration">{formatMilliseconds(record.durationMs)}</Fact>
        <Fact name="Client">{record.request.clientAddress}</Fact>
        <Fact name="Started">
          <Time at={record.startedAt} />
        </Fact>
        <Fact name="Token">
          <span class="mono">{record.token}</span>
          <CopyButton text={record.token} label="Copy" shortcut="y" />
        </Fact>
      </dl>
      <Problems menu={menu} record={record} links={links} />
    </header>
  );
}

function Actions({ record, links }: { record: ProfileRecord; links: ProfilerLinks }): VNode {
  return (
    <p class="actions">
      <a class="button" href={links.data(record.token, 'json')}>
        JSON
      </a>
      <a class="button" href={links.data(record.token, 'md')}>
        Markdown
      </a>
      <button
        type="button"
        class="button"
        data-copy-from={links.data(record.token, 'md')}
        data-key="m"
        data-scripted=""
        hidden
      >
        Copy Markdown
      </button>
    </p>
  );
}

function Fact({ name, children }: { name: string; children: VNode | string | (VNode | string)[] }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const STATES = {
  aborted: 'Aborted: the response was cut short',
  unfinished: 'Unfinished: no response was sent',
} as const;

function Problems(props: {
  menu: readonly MenuEntry[];
  record: ProfileRecord;
  links: ProfilerLinks;
}): VNode | null {
  const { menu, record, links } = props;
  // The exception is itself logged: beside its chip that one entry says nothing new.
  const isRepeated = (panel: string, count: number): boolean =>
    panel === 'logs' && count === 1 && record.exception !== null;
  const chips = menu.flatMap(({ panel, badge }) =>
    badge === undefined || badge === 'plain' || badge.tone === 'neutral' || isRepeated(panel.id, badge.count)
      ? []
      : [{ panel, badge }],
  );
  if (chips.length === 0 && record.state === 'complete') return null;
  return (
    <ul class="problems" aria-label="What deserves a look">
      {record.state !== 'complete' && (
        <li>
          <a class="chip warn" href={links.record(record.token, { panel: 'request' })}>
            <Icon path={icons.warn} />
            {STATES[record.state]}
          </a>
        </li>
      )}
      {chips.map(({ panel, badge }) => (
        <li>
          <a
            class={`chip ${badge.tone === 'error' ? 'err' : 'warn'}`}
            href={links.record(record.token, { panel: panel.id })}
          >
            <Icon path={badge.tone === 'error' ? icons.error : icons.warn} />
            {badge.words}
          </a>
        </li>
      ))}
    </ul>
  );
}
