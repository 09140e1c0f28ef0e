import { resolve } from 'node:path';
import type { VNode } from 'preact';
import { safeUrl } from '#html';
import type { RecordMark } from '../../model/record-lookup.js';
import { type ProfileRecord, findHeader } from '../../model/profile-record.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { PanelContext } from '../../panels/panel.js';
import { formatTerm } from '../../query/parse-query.js';
import { findErrorPlace } from '../../record/find-place.js';
import { isToken } from '../../record/token.js';
import { formatBytes, formatMilliseconds, shortPath } from '../../words/format.js';
import { ActionForm } from '../blocks/controls.js';
import { StatusChip, statusLook } from '../blocks/status.js';
import { CopyButton, Time, ValueView } from '../blocks/value-view.js';
import type { Neighbours } from '../lookup/find-neighbours.js';
import { type ProfilerLinks, splitUrl } from '../site/links.js';
import { isInPane } from '../site/pane.js';

/** Data of a record's page that does not depend on the selected panel. */
export interface ShownRecord {
  readonly record: ProfileRecord;
  readonly links: ProfilerLinks;
  readonly context: PanelContext;
  readonly neighbours: Neighbours;
  readonly mark: RecordMark | undefined;
}

/** `panel` is the id of the selected panel, which links to other records keep. */
type HeaderProps = ShownRecord & { readonly panel: string };

/** The header of a record: two lines of fixed height, the same on every panel. What does not fit is in the panels. */
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
        <Actions {...props} />
      </div>
      <Facts {...props} />
    </header>
  );
}

function StateChip({ record: { response, state } }: { record: ProfileRecord }): VNode {
  if (state === 'complete') return <StatusChip status={response?.status ?? 0} />;
  const words = state === 'unfinished' || response === null ? 'no response' : `${response.status}, cut short`;
  return <span class="chip is-warn">! {words}</span>;
}

/** Returns the tone of the page's icon. */
export function recordTone(record: ProfileRecord): ReturnType<typeof statusLook>['tone'] {
  const { tone } = statusLook(record.response?.status ?? 0);
  return record.state === 'complete' || tone === 'error' ? tone : 'warn';
}

function Facts(props: HeaderProps): VNode {
  const { record, links, context, mark } = props;
  const { user, visitor } = record.request;
  const original = originalOf(record);
  return (
    <div class="line-2">
      <Controller record={record} links={links} context={context} />
      {user !== null && (
        <a href={links.list({ q: formatTerm('user', user) })} title="User">
          {user}
        </a>
      )}
      <span title="Body of the response">{formatBytes(record.response?.bodyBytes ?? 0)}</span>
      <Time at={record.startedAt} isClock />
      <span>
        <span class="mono">{record.token}</span>
        <CopyButton text={record.token} label="Copy" shortcut="y" />
      </span>
      {original !== undefined && (
        <a href={links.record(original)}>
          Replay of <span class="mono">{original}</span>
        </a>
      )}
      {mark !== undefined && <a href={links.list({ q: 'has:pin' })}>pinned</a>}
      <ErrorGroup record={record} links={links} />
      {visitor !== undefined && (
        <a href={links.list({ q: formatTerm('visitor', visitor) })}>Requests of this visitor</a>
      )}
    </div>
  );
}

/** A link to all requests with an exception of the same class and place. */
function ErrorGroup({ record: { exception }, links }: Pick<HeaderProps, 'record' | 'links'>): VNode | null {
  if (exception === null) return null;
  const place = findErrorPlace(exception);
  const terms = [
    formatTerm('class', exception.class),
    place === null ? '-place:*' : formatTerm('place', place),
  ];
  return <a href={links.list({ q: terms.join(' ') })}>Requests with this error</a>;
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
          value={{
            text: `${shortPath(file)}:${line ?? 1}`,
            mono: true,
            ...context.editor(resolve(file), line ?? 1, 1),
          }}
        />
      )}
    </>
  );
}

/** Returns the token of the replayed record, as named by the request itself. */
function originalOf({ request }: ProfileRecord): string | undefined {
  const value = findHeader(request.headers, 'lookback-replay') ?? '';
  return isToken(value) ? value : undefined;
}

function Actions(props: HeaderProps): VNode {
  const { record, links, neighbours, panel } = props;
  const { older, newer } = neighbours;
  return (
    <div class="actions">
      <Step to={older} sign="‹" rel="prev" {...{ links, panel }} />
      <Step to={newer} sign="›" rel="next" {...{ links, panel }} />
      {(record.route?.name ?? null) !== null && (
        <a
          class="button opt"
          href={links.compare(record.token, 'last-good')}
          title="Compare with the last good one"
        >
          Compare
        </a>
      )}
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
      <Menu {...props} />
    </div>
  );
}

function Step(props: {
  to: ProfileSummary | undefined;
  sign: string;
  rel: 'prev' | 'next';
  links: ProfilerLinks;
  panel: string;
}): VNode | null {
  const { to, sign, rel, links, panel } = props;
  if (to === undefined) return null;
  const words = `${rel === 'prev' ? 'Older' : 'Newer'}: ${to.method} ${to.path}, ${formatMilliseconds(to.durationMs)}`;
  return (
    <a
      class="button opt"
      href={links.record(to.token, { panel })}
      rel={rel}
      data-key={rel === 'prev' ? '[' : ']'}
      title={words}
      aria-label={words}
    >
      {sign}
    </a>
  );
}

/** The other actions; in narrow windows, where the buttons are not shown, all of them. */
function Menu({ record, links, mark, neighbours, panel }: HeaderProps): VNode {
  const { token } = record;
  const markdown = links.data(token, 'md');
  const entries: readonly (readonly [words: string, href: string | undefined, isNarrow?: true])[] = [
    ['Older', neighbours.older && links.record(neighbours.older.token, { panel }), true],
    ['Newer', neighbours.newer && links.record(neighbours.newer.token, { panel }), true],
    ['Compare', (record.route?.name ?? null) === null ? undefined : links.compare(token, 'last-good'), true],
    ['Open as Markdown', markdown],
    ['Open as JSON', links.data(token, 'json')],
    ['Open as HAR', links.data(token, 'har')],
  ];
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
                <li class={isNarrow ? 'narrow' : undefined}>
                  <a href={safeUrl(href)}>{words}</a>
                </li>
              ),
          )}
          <CopyEntry words="Copy as Markdown" from={markdown} shortcut="m" />
          <CopyEntry words="Copy as curl" from={links.data(token, 'curl')} />
          <li class="narrow">
            <ActionForm action={links.action(token, 'replay')} label="Replay" />
          </li>
          <li>
            <ActionForm
              action={links.action(token, 'replay')}
              label="Replay with a CPU profile"
              fields={{ profile: 'cpu' }}
            />
          </li>
          <li>
            <ActionForm
              action={links.action(token, 'mark')}
              label={mark === undefined ? 'Pin' : 'Unpin'}
              {...(mark === undefined ? {} : { fields: { remove: '1' } })}
            />
          </li>
        </ul>
        {mark !== undefined && <MarkForm mark={mark} action={links.action(token, 'mark')} />}
      </div>
    </details>
  );
}

function CopyEntry(props: { words: string; from: string; shortcut?: string }): VNode {
  return (
    <li data-scripted="" hidden>
      <button type="button" data-copy-from={props.from} data-key={props.shortcut}>
        {props.words}
      </button>
    </li>
  );
}

/** The note of a pinned record. */
function MarkForm({ mark, action }: { mark: RecordMark; action: string }): VNode {
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
