import { resolve } from 'node:path';
import type { VNode } from 'preact';
import type { RecordMark } from '../../model/record-lookup.js';
import { type ProfileRecord, findHeader, isOfRequest } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import { locationValue } from '../../view/make-values.js';
import type { Tone } from '../../view/block.js';
import type { PanelContext } from '../../sections/panel.js';
import { formatTerm } from '../../search/parse-query.js';
import { findRecordedError } from '../../model/recorded-error.js';
import { isToken } from '../../encoding/token.js';
import { formatAge, formatBytes, formatMilliseconds } from '../../model/formatting.js';
import { ActionForm } from '../blocks/controls.js';
import { StatusChip, statusLook } from '../blocks/status.js';
import { CopyButton, Time, ValueView } from '../blocks/value-view.js';
import { type ProfilerLinks, splitUrl } from '../site/links.js';
import { isInPane } from '../shell/shell.js';

/** Adjacent records from the same origin. */
export interface Neighbours {
  readonly older: ProfileSummary | undefined;
  readonly newer: ProfileSummary | undefined;
}

/** Data on a record's page that does not depend on the selected panel. */
export interface ShownRecord {
  readonly record: ProfileRecord;
  readonly links: ProfilerLinks;
  readonly context: PanelContext;
  readonly neighbours: Neighbours;
  readonly mark: RecordMark | undefined;
  /** When the page is viewed, from which ages count, in milliseconds since 1970. */
  readonly now: number;
}

/** `panel` is the selected panel's id, which links to other records keep. */
type HeaderProps = ShownRecord & { readonly panel: string };

/** A record's header: two lines with a fixed height, the same on every panel. Anything else belongs in the panels. */
export function RecordHeader(props: HeaderProps): VNode {
  const { record } = props;
  const { method, url } = record.request;
  const [path, query] = splitUrl(url);
  return (
    <header class="record-head">
      <div class="line-1">
        <StateChip record={record} />
        <h1 title={`${method} ${path}${query}`}>
          {method} {path}
          <span class="muted">{query}</span>
        </h1>
        <span class="took">
          {formatMilliseconds(record.durationMs)}
          <span class="minor">
            {' · '}
            <Time at={record.startedAt} isClock />, {formatAge(props.now - record.startedAt)}
          </span>
        </span>
        <Actions {...props} />
      </div>
      <Facts {...props} />
    </header>
  );
}

function StateChip({ record }: { record: ProfileRecord }): VNode {
  const { response, state } = record;
  if (!isOfRequest(record)) {
    const hasFailed = (response?.status ?? 500) >= 500;
    if (state === 'complete')
      return <span class={`chip is-${hasFailed ? 'error' : 'ok'}`}>{hasFailed ? '✕ failed' : '✓ done'}</span>;
    return <span class="chip is-warn">! not finished</span>;
  }
  if (state === 'complete') return <StatusChip status={response?.status ?? 0} />;
  const { status = 0 } = response ?? {};
  // 499: the client left before the response began.
  const isEmpty = state === 'unfinished' || status === 0 || status === 499;
  const words = isEmpty ? 'no response' : `${status}, cut short`;
  return <span class="chip is-warn">! {words}</span>;
}

export function recordTone(record: ProfileRecord): Tone {
  const { tone } = statusLook(record.response?.status ?? 0);
  return record.state === 'complete' || tone === 'error' ? tone : 'warn';
}

function Facts(props: HeaderProps): VNode {
  const { record, links, context, mark } = props;
  const error = findRecordedError(record);
  const { user, visitor, headers } = record.request;
  // The replayed record's token, as named by the request itself.
  const original = findHeader(headers, 'lookback-replay') ?? '';
  return (
    <div class="line-2">
      <Controller record={record} links={links} context={context} />
      {user !== null && (
        <a href={links.list({ q: formatTerm('user', user) })} title="User">
          {user}
        </a>
      )}
      <span title="Body of the response">{formatBytes(record.response?.bodyBytes ?? 0)}</span>
      <span>
        <span class="mono">{record.token}</span>
        <CopyButton text={record.token} label="Copy" shortcut="y" />
      </span>
      {isToken(original) && (
        <a href={links.record(original)}>
          Replay of <span class="mono">{original}</span>
        </a>
      )}
      {mark !== undefined && <a href={links.list({ q: 'has:pin' })}>pinned</a>}
      {error !== undefined && <a href={links.errors(error.fingerprint)}>Requests with this error</a>}
      {visitor !== undefined && (
        <a href={links.list({ q: formatTerm('visitor', visitor) })}>Requests of this visitor</a>
      )}
    </div>
  );
}

function Controller({
  record: { controller, route },
  links,
  context,
}: Pick<HeaderProps, 'record' | 'links' | 'context'>): VNode {
  const name = route?.name ?? null;
  const words = controller?.name ?? name ?? 'no controller';
  const { file = null, line } = controller ?? {};
  return (
    <>
      {name === null ? (
        <span>{words}</span>
      ) : (
        <a href={links.list({ q: formatTerm('route', name) })} title={`Requests of the route ${name}`}>
          {words}
        </a>
      )}
      {file !== null && (
        <ValueView
          value={locationValue({ file: resolve(file), line: line ?? 1, column: 1 }, context.editor)}
        />
      )}
    </>
  );
}

function Actions(props: HeaderProps): VNode {
  const { record, links, neighbours, panel } = props;
  const steps = [
    ['Older', '‹', 'prev', '[', neighbours.older],
    ['Newer', '›', 'next', ']', neighbours.newer],
  ] as const;
  return (
    <div class="actions">
      {steps.map(([name, sign, rel, key, to]) => {
        if (to === undefined) return null;
        const words = `${name}: ${to.method} ${to.path}, ${formatMilliseconds(to.durationMs)}`;
        const href = links.record(to.token, { panel });
        return (
          <a class="button opt" href={href} rel={rel} data-key={key} title={words} aria-label={words}>
            {sign}
          </a>
        );
      })}
      <a
        class="button opt"
        href={links.compare(record.token, 'last-good')}
        title="Compare with the last successful request to this route"
      >
        Compare
      </a>
      {isOfRequest(record) && (
        <>
          <span class="opt">
            <ActionForm action={links.action(record.token, 'replay')} label="Replay" buttonClass="button" />
          </span>
          <button
            type="button"
            class="button opt"
            data-copy-from={links.data(record.token, 'curl')}
            data-scripted=""
            hidden
          >
            Copy curl
          </button>
        </>
      )}
      <Menu {...props} />
    </div>
  );
}

/** The remaining actions; in narrow windows, which hide the buttons, all of them. */
function Menu({ record, links, mark, neighbours, panel }: HeaderProps): VNode {
  const { token } = record;
  const { older, newer } = neighbours;
  const [markdown, curl] = [links.data(token, 'md'), links.data(token, 'curl')];
  const [replay, pin] = [links.action(token, 'replay'), links.action(token, 'mark')];
  const pinned = mark === undefined ? { label: 'Pin' } : { label: 'Unpin', fields: { remove: '1' } };
  const entries: readonly (readonly [words: string, href: string | undefined, isNarrow?: true])[] = [
    ['Older', older && links.record(older.token, { panel }), true],
    ['Newer', newer && links.record(newer.token, { panel }), true],
    ['Compare with the last successful request', links.compare(token, 'last-good'), true],
    ['Open as Markdown', markdown],
    ['Open as JSON', links.data(token, 'json')],
    ['Open as HAR', links.data(token, 'har')],
  ];
  const copies = [['Copy as Markdown', markdown, 'm'] as const, ['Copy as curl', curl, undefined] as const];
  return (
    <details class="drop">
      <summary class="button" aria-label="More actions" title="More actions">
        ⋯
      </summary>
      <div>
        <ul>
          {isInPane() && (
            <li>
              <a href={links.record(token)} target="_top">
                Open in the whole window
              </a>
            </li>
          )}
          {entries.map(
            ([words, href, isNarrow]) =>
              href !== undefined && (
                <li class={isNarrow && 'narrow'}>
                  <a href={href}>{words}</a>
                </li>
              ),
          )}
          {copies.map(([words, from, shortcut]) => (
            <li data-scripted="" hidden>
              <button type="button" data-copy-from={from} data-key={shortcut}>
                {words}
              </button>
            </li>
          ))}
          <li class="narrow">
            <ActionForm action={replay} label="Replay" />
          </li>
          <li>
            <ActionForm action={replay} label="Replay with a CPU profile" fields={{ profile: 'cpu' }} />
          </li>
          <li>
            <ActionForm action={pin} {...pinned} />
          </li>
        </ul>
        {mark !== undefined && <NoteForm mark={mark} action={pin} />}
      </div>
    </details>
  );
}

function NoteForm({ mark, action }: { mark: RecordMark; action: string }): VNode {
  return (
    <ActionForm action={action} label="Save" buttonClass="button primary">
      <label>
        Note
        <textarea name="note" rows={3} maxLength={2000}>
          {mark.note}
        </textarea>
      </label>
    </ActionForm>
  );
}
