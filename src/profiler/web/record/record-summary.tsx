import type { ComponentChildren, VNode } from 'preact';
import { findHeader } from '../../model/recorded-message.js';
import type { RecordMark } from '../../model/record-marks.js';
import { MarkLine, RecordActions } from './record-actions.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import { icons } from '../../panels/blocks/icons.js';
import { formatBytes, formatMilliseconds, shortPath } from '../../words/format.js';
import type { Panel, PanelContext } from '../../panels/panel.js';
import type { PanelBadge } from '../../panels/blocks/block.js';
import { say } from '../../words/say.js';
import { breakdownOf } from '../../form/time-breakdown.js';
import { formatTerm } from '../../query/parse-query.js';
import { findErrorPlace } from '../../watch/find-error-place.js';
import { BreakdownFigures } from '../blocks/breakdown-bar.js';
import { Icon } from '../blocks/icon.js';
import { CopyButton, Time, ValueView } from '../blocks/value-view.js';
import type { Neighbours } from '../lookup/find-neighbours.js';
import { isToken } from '../../find/is-token.js';
import { type ProfilerLinks, splitUrl } from '../site/links.js';
import { StatusChip, statusLook } from '../blocks/status.js';
import { NeighbourLinks, VisitorStrip } from './neighbour-links.js';

/** Data of a record's page that does not depend on the selected panel. */
export interface ShownRecord {
  readonly record: ProfileRecord;
  readonly menu: readonly MenuEntry[];
  readonly links: ProfilerLinks;
  readonly context: PanelContext;
  readonly neighbours: Neighbours;
  readonly mark: RecordMark | undefined;
}

/** `panel` is the id of the selected panel, which links to other records keep. */
type RecordSummaryProps = ShownRecord & { readonly panel: string };

/** The header of a record: request and response, main facts, mark, visitor's requests, and problems. */
export function RecordSummary(props: RecordSummaryProps): VNode {
  const { record, links, mark } = props;
  const status = record.response?.status ?? 0;
  const [path, query] = splitUrl(record.request.url);
  return (
    <header class={`summary is-${recordTone(record)}`}>
      <div class="summary-line">
        <a class="status-link" href={links.list({ status: status === 0 ? '' : String(status) })}>
          <StatusChip status={status} compact={false} />
        </a>
        <h1>
          <a href={links.list({ method: record.request.method })}>{record.request.method}</a>{' '}
          <a href={links.list({ url: path })}>{path}</a>
          <span class="query">{query}</span>
        </h1>
        <NeighbourLinks {...props} />
        <RecordActions record={record} links={links} isPinned={mark !== undefined} />
      </div>
      <Facts {...props} />
      {mark !== undefined && <MarkLine mark={mark} token={record.token} links={links} />}
      <VisitorStrip {...props} />
      <div class="summary-foot">
        <Problems {...props} />
        <BreakdownFigures breakdown={breakdownOf(record)} />
      </div>
    </header>
  );
}

/** Returns the tone of the header's edge and of the page's icon. */
export function recordTone(record: ProfileRecord): ReturnType<typeof statusLook>['tone'] {
  const { tone } = statusLook(record.response?.status ?? 0);
  return record.state === 'complete' || tone === 'error' ? tone : 'warn';
}

function Facts({ record, links, context }: RecordSummaryProps): VNode {
  const { user } = record.request;
  const route = record.route?.name ?? null;
  const queries = queriesOf(record);
  const original = originalOf(record);
  return (
    <dl class="meta">
      {user !== null && (
        <Fact name={say('User')}>
          <a href={links.list({ user })}>{user}</a>
        </Fact>
      )}
      {route !== null && (
        <Fact name={say('Route')}>
          <a class="mono" href={links.list({ route })}>
            {route}
          </a>
        </Fact>
      )}
      <Controller record={record} context={context} />
      <ErrorGroup record={record} links={links} />
      <Fact name={say('Duration')} bare>
        <a href={context.link('time')}>{formatMilliseconds(record.durationMs)}</a>
      </Fact>
      {queries !== undefined && (
        <Fact name={say('Queries')} bare>
          <a href={context.link('db')}>{say('{n} query|{n} queries', { n: queries })}</a>
        </Fact>
      )}
      <Fact name={say('Response body')} bare>
        {formatBytes(record.response?.bodyBytes ?? 0)}
      </Fact>
      <Fact name={say('Started')} bare>
        <Time at={record.startedAt} />
      </Fact>
      {original !== undefined && (
        <Fact name={say('Replay of')}>
          <a class="mono" href={links.record(original)}>
            {original}
          </a>
        </Fact>
      )}
      <Fact name={say('Token')} bare>
        <span class="mono">{record.token}</span>
        <CopyButton text={record.token} label={say('Copy')} shortcut="y" />
        <button
          type="button"
          class="copy"
          data-copy-from={links.data(record.token, 'curl')}
          aria-label={say('Copy as curl')}
          title={say('Copy as curl')}
          hidden
        >
          {say('curl')}
        </button>
      </Fact>
    </dl>
  );
}

function Controller({
  record: { controller },
  context,
}: Pick<RecordSummaryProps, 'record' | 'context'>): VNode | null {
  if (controller === null) return null;
  const { name, file, line } = controller;
  return (
    <Fact name={say('Controller')} title={file === null ? undefined : `${shortPath(file)}:${line ?? 1}`}>
      <ValueView
        value={{ text: name, mono: true, ...(file === null ? {} : context.editor(file, line ?? 1, 1)) }}
      />
    </Fact>
  );
}

/** Returns the token of the replayed record, as named by the request itself. */
function originalOf({ request }: ProfileRecord): string | undefined {
  const value = findHeader(request.headers, 'lookback-replay') ?? '';
  return isToken(value) ? value : undefined;
}

/** A link to all requests with an exception of the same class and place. */
function ErrorGroup({
  record: { exception },
  links,
}: Pick<RecordSummaryProps, 'record' | 'links'>): VNode | null {
  if (exception === null) return null;
  const place = findErrorPlace(exception);
  const terms = [
    formatTerm('class', exception.class),
    place === null ? '-place:*' : formatTerm('place', place),
  ];
  return (
    <Fact name={say('Same error')}>
      <a class="mono" href={links.list({ q: terms.join(' ') })}>
        {exception.class}
      </a>
    </Fact>
  );
}

/** Returns the number of queries; undefined if no collector counts them. */
function queriesOf({ sections }: ProfileRecord): number | undefined {
  const section = sections['db'] as { readonly totals?: { readonly queries?: unknown } } | undefined; // each field is checked
  const count = section?.totals?.queries;
  return typeof count === 'number' ? count : undefined;
}

interface FactProps {
  readonly name: string;
  /** Shows the name only to screen readers and as a tooltip. */
  readonly bare?: boolean;
  readonly title?: string | undefined;
  readonly children: ComponentChildren;
}

function Fact({ name, bare, title, children }: FactProps): VNode {
  return (
    <div title={title ?? (bare === true ? name : undefined)}>
      <dt class={bare === true ? 'visually-hidden' : undefined}>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Problems({ menu, record, links }: RecordSummaryProps): VNode | null {
  // The exception itself is logged too, and already has an entry.
  const isRepeated = (panel: string, count: number): boolean =>
    panel === 'logs' && count === 1 && record.exception !== null;
  const found = menu.flatMap(({ panel, badge }) =>
    badge === undefined || badge === 'plain' || badge.tone === 'neutral' || isRepeated(panel.id, badge.count)
      ? []
      : [{ panel, badge }],
  );
  if (found.length === 0 && record.state === 'complete') return null;
  const states = {
    aborted: say('Aborted: the response was cut short'),
    unfinished: say('Unfinished: no response was sent'),
  };
  return (
    <ul class="problems" aria-label={say('Problems')}>
      {record.state !== 'complete' && (
        <li>
          <a class="tone-warn" href={links.record(record.token, { panel: 'request' })}>
            <Icon path={icons.warn} />
            {states[record.state]}
          </a>
        </li>
      )}
      {found.map(({ panel, badge }) => (
        <li>
          <a class={`tone-${badge.tone}`} href={links.record(record.token, { panel: panel.id })}>
            <Icon path={badge.tone === 'error' ? icons.error : icons.warn} />
            {badge.words}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** Menu entry of a panel. */
export interface MenuEntry {
  readonly panel: Panel;
  readonly badge: PanelBadge | 'plain' | undefined;
  /** Key that opens the panel after `g`: the first letter of its id that no earlier panel uses. */
  readonly letter: string | undefined;
}
