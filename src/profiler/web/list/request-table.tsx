import type { ComponentChildren, VNode } from 'preact';
import { say } from '#core/phrases';
import { labelledFields, type ProfileSummary } from '../../model/profile-summary.js';
import type { RecordMark } from '../../model/record-lookup.js';
import { formatAge, formatMilliseconds, isoTime } from '../../model/formatting.js';
import { formatTerm } from '../../search/parse-query.js';
import { type ParsedFilters, withTerms, type ListFilters } from './list-filters.js';
import { type ProfilerLinks, splitUrl } from '../site/links.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { AxisLabels, axisEnd, percent, RequestBar } from '../blocks/request-bar.js';
import { StatusLink } from '../blocks/status.js';
import { type Problem, problemsOf } from '../../sections/row-problems.js';

interface TableContext {
  readonly site: ProfilerSite;
  readonly parsed: ParsedFilters;
  /** End of the axis, in milliseconds. */
  readonly end: number;
}

/** A list column. Its width is set by its class in `profiler-styles.ts`. */
interface Column {
  /**
   * Class of its header and cells, kept short because long lists have many. Empty for the column that takes the
   * remaining space.
   */
  readonly look: string;
  readonly head: (table: TableContext) => ComponentChildren;
  /** Sort order that its header links to. */
  readonly sort?: string;
  readonly cell: (row: ProfileSummary, table: TableContext) => ComponentChildren;
  /** Cell in a line that folds asset requests, which `link` shows; empty if absent. */
  readonly folded?: (link: VNode) => VNode;
}

/** The columns in order. A status is a link that filters by it. */
const columns: readonly Column[] = [
  {
    look: 'st',
    head: () => 'Status',
    sort: 'status',
    cell: ({ token, status }, table) => [
      <input type="checkbox" name="t" value={token} aria-label={`Compare ${token}`} />,
      <StatusLink status={status} href={filtered(table, `status:${status}`)} />,
    ],
  },
  { look: 'me', head: () => 'Method', cell: ({ method }) => method },
  {
    look: '',
    head: () => 'Request',
    cell: (row, { site }) => <RowLink row={row} links={site.links} />,
    folded: (link) => link,
  },
  ...labelledFields.map(labelledColumn),
  {
    look: 'ch',
    head: ({ end }) => [<span class="visually-hidden">Where the time went</span>, <AxisLabels end={end} />],
    cell: (row, { parsed, end }) => (
      <Lane row={row} end={end} problem={problemsOf(row, parsed.collected)[0]} />
    ),
    folded: () => <div class="lane" />,
  },
  {
    look: 'ms',
    head: () => 'Time',
    sort: 'duration',
    cell: ({ durationMs }) => formatMilliseconds(durationMs),
  },
  {
    look: 'ag',
    head: () => 'Age',
    sort: 'started',
    cell: ({ startedAt }, { site }) => (
      <time dateTime={isoTime(startedAt).replace(/\.\d+/, '')}>
        {formatAge(site.now() - startedAt).replace(' ago', '')}
      </time>
    ),
  },
  { look: 'tk', head: () => 'Token', cell: ({ token }) => token },
];

/**
 * Creates the column of a summary field. Its first term makes text link to rows with the same value, and numbers
 * sortable.
 */
function labelledColumn({ name, label, term, kind }: (typeof labelledFields)[number]): Column {
  const sort = kind === 'count' || kind === 'ms' ? term : undefined;
  return {
    look: 'us',
    head: () => label,
    ...(sort === undefined ? {} : { sort }),
    cell: ({ [name]: value }, table) =>
      value !== null && term !== undefined && kind === 'name' ? (
        <a href={filtered(table, formatTerm(term, String(value)))}>{value}</a>
      ) : (
        value
      ),
  };
}

function filtered({ site, parsed }: TableContext, term: string): string {
  return fromList(site.links, site.links.list(withTerms(parsed, term)));
}

/** Shortens a row's link to a URL relative to the list, because a full list must stay small. */
function fromList(links: ProfilerLinks, url: string): string {
  return url.slice(links.list().length);
}

/** The request table, whose bars share one axis. */
export function RequestTable({
  rows,
  ...given
}: Omit<TableContext, 'end'> & { rows: readonly ProfileSummary[] }): VNode {
  const { site, parsed } = given;
  const end = axisEnd(rows.map(({ durationMs }) => durationMs));
  const table = { ...given, end };
  return (
    <form id="compare" action={site.links.compareForm()}>
      <table class="requests">
        <caption class="visually-hidden">
          {`Requests. Their bars share one axis, 0 to ${end} ms; a torn end means longer.`}
        </caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <Head column={column} table={table} />
            ))}
          </tr>
        </thead>
        <tbody id="rows" tabIndex={-1}>
          {foldAssets(rows, parsed).map((line) =>
            typeof line === 'number' ? (
              <AssetsRow count={line} href={site.links.list({ ...parsed.filters, assets: '1' })} />
            ) : (
              <RequestRow {...table} row={line} />
            ),
          )}
        </tbody>
      </table>
    </form>
  );
}

/** A header; if its column can be sorted, a link: largest first, smallest first, default order. */
function Head({ column, table }: { column: Column; table: TableContext }): VNode {
  const { look, head, sort } = column;
  const { filters } = table.parsed;
  if (sort === undefined)
    return (
      <th scope="col" class={look || undefined}>
        {head(table)}
      </th>
    );
  const [order, sign, next] =
    filters.sort === sort
      ? (['descending', ' ↓', `-${sort}`] as const)
      : filters.sort === `-${sort}`
        ? (['ascending', ' ↑', ''] as const)
        : [undefined, undefined, sort];
  return (
    <th scope="col" class={look} aria-sort={order}>
      <a href={table.site.links.list({ ...filters, page: '', sort: next })}>
        {head(table)}
        {sign !== undefined && <span aria-hidden="true">{sign}</span>}
      </a>
    </th>
  );
}

export function RequestRow({ row, ...table }: TableContext & { row: ProfileSummary }): VNode {
  return (
    <tr>
      {columns.map(({ look, cell }) => (
        <td class={look || undefined}>{cell(row, table)}</td>
      ))}
    </tr>
  );
}

/** One line for consecutive asset requests, with a link that shows them all. */
function AssetsRow({ count, href }: { count: number; href: string }): VNode {
  const link = (
    <a class="u query" href={href}>
      {say('{n} assets', { n: count })}
    </a>
  );
  return (
    <tr>
      {columns.map(({ look, folded }) => (
        <td class={look || undefined}>{folded?.(link)}</td>
      ))}
    </tr>
  );
}

/** Characters at the end of a long path that stay visible when the path is cut. */
const maxEnd = 16;

/** The path on one line. If there is no room it is cut in the middle, at a `/` or `-`. */
function RowLink({ row, links }: { row: ProfileSummary; links: ProfilerLinks }): VNode {
  const [path, query] = splitUrl(row.url);
  const at = path.slice(-maxEnd).search(/[/-]/);
  const isCut = at > 0 && path.length > maxEnd * 1.5;
  const cut = isCut ? path.length - maxEnd + at : 0;
  const end = [path.slice(cut), query !== '' && <span class="query">{query}</span>];
  const title = path.length + query.length > maxEnd * 1.5 ? path + query : undefined;
  return (
    <>
      <a href={fromList(links, links.record(row.token))} data-row="" title={title}>
        {isCut ? [<span>{path.slice(0, cut)}</span>, <span>{end}</span>] : end}
      </a>
      {row.mark !== undefined && <span class="pinned">{markWords(row.mark)}</span>}
    </>
  );
}

/** How many characters of a pin's note a row shows. */
const maxNoteShown = 40;

function markWords({ note }: RecordMark): string {
  return note.length > maxNoteShown ? `${note.slice(0, maxNoteShown)}…` : note === '' ? 'pinned' : note;
}

/** One character's estimated width in a finding, in per cent of the lane, with a reserve for wide fonts. */
const characterWidth = 1.35;

/** Factor for the bold text on a plate. */
const boldShare = 1.12;

/** Part of a bar that a plate may cover. */
const plateShare = 0.6;

/** The share of that width needed in windows at least 1900 pixels wide. */
const wideShare = 0.66;

/** A torn edge's width, which a plate leaves visible, in per cent of the lane. */
const tornWidth = 2;

/**
 * The bar with the worst finding: after the bar if there is room, otherwise on a plate at its end. If it fits neither,
 * its text is cut.
 */
function Lane(props: { row: ProfileSummary; end: number; problem: Problem | undefined }): VNode {
  const { row, end, problem } = props;
  const length = Math.min(100, (row.durationMs / end) * 100);
  const bar = <RequestBar breakdown={row.breakdown} durationMs={row.durationMs} end={end} />;
  if (problem === undefined) return <div class="lane">{bar}</div>;
  const needed = (problem.words.length + (problem.location?.length ?? -1) + 1) * characterWidth;
  const room = 98 - length;
  const isAfter = room >= needed || room > (length * plateShare) / boldShare;
  const words = (
    <span class={`say ${problem.tone}${isAfter ? '' : ' plate'}`}>
      <span>{problem.words}</span>
      {problem.location !== undefined && <code> {problem.location}</code>}
    </span>
  );
  const gap = (width: number, look = 'gap'): VNode => <svg class={look} width={percent(width)} />;
  if (isAfter)
    return (
      <div class="lane">
        {bar}
        {gap(length)}
        {words}
      </div>
    );
  return (
    <div class="lane">
      {bar}
      {/* In wide windows there may be room after the bar after all; the style sheet decides. */}
      {room >= needed * wideShare && gap(length, 'gap at')}
      {gap(length * (1 - plateShare))}
      {words}
      {gap(row.durationMs > end ? tornWidth : 100 - length)}
    </div>
  );
}

/** Minimum run to fold: shorter ones would need as much room folded. */
const minRun = 3;
const assetFile =
  /\.(?:avif|css|eot|gif|ico|jpe?g|js|jsx|map|mjs|mp4|otf|png|svelte|svg|ts|tsx|ttf|vue|wasm|webm|webmanifest|webp|woff2?)$/i;
/** Paths under which bundlers and development servers serve modules, with or without an extension. */
const assetFolder = /^\/(?:@fs|@id|@vite|_astro|_next\/static|_nuxt|node_modules)\//;
const keptApart: ReadonlySet<keyof ListFilters> = new Set(['own', 'limit', 'page']);

/** Folds runs of asset requests into their number; never failed or notable ones, and never in a filtered list. */
export function foldAssets(
  rows: readonly ProfileSummary[],
  { filters, collected }: ParsedFilters,
): readonly (ProfileSummary | number)[] {
  const names = Object.keys(filters) as (keyof ListFilters)[]; // Object.keys returns string[]
  if (names.some((name) => filters[name] !== '' && !keptApart.has(name))) return rows;
  const isAsset = (row: ProfileSummary): boolean =>
    /^(?:GET|HEAD)$/.test(row.method) &&
    row.status >= 200 &&
    row.status < 400 &&
    (assetFile.test(row.path) || assetFolder.test(row.path)) &&
    problemsOf(row, collected).length === 0;
  const lines: (ProfileSummary | number)[] = [];
  let run: ProfileSummary[] = [];
  for (const row of [...rows, undefined]) {
    if (row !== undefined && isAsset(row)) run.push(row);
    else {
      lines.push(...(run.length < minRun ? run : [run.length]));
      if (row !== undefined) lines.push(row);
      run = [];
    }
  }
  return lines;
}
