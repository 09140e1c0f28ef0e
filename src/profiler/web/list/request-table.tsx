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
  /** End of the axis in milliseconds. */
  readonly end: number;
}

/** A column of the list: everything but its width, which `profiler-styles.ts` gives to its class. */
interface Column {
  /** Class of its head and cells, of which a long list has many. Empty for the column that takes the room that is left. */
  readonly look: string;
  readonly head: (table: TableContext) => ComponentChildren;
  /** Name of the order that its head links to. */
  readonly sort?: string;
  readonly cell: (row: ProfileSummary, table: TableContext) => ComponentChildren;
  /** Its cell in a line that stands for requests for assets, which `link` shows; empty if absent. */
  readonly folded?: (link: VNode) => VNode;
}

/** The columns in their order. A status is a link that filters by it. */
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

/** A column that a field of the summary declares. By its first term, a text links to rows with the same, a number sorts. */
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

/** A link of a row, relative to the list: a full list of one has little room. */
function fromList(links: ProfilerLinks, url: string): string {
  return url.slice(links.list().length);
}

/** The table of requests, whose bars share one axis. */
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

/** A head; where the list can be ordered by its column, a link: largest first, smallest first, default order. */
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

/** One line for consecutive requests for assets: a link that shows each of them. */
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

/** Characters of the end of a long path that stay visible when the window cuts it. */
const maxEnd = 16;

/** The path on one line. Where there is no room it is cut in its middle, at a `/` or `-`. */
function RowLink({ row, links }: { row: ProfileSummary; links: ProfilerLinks }): VNode {
  const [path, query] = splitUrl(row.url);
  const at = path.slice(-maxEnd).search(/[/-]/);
  const isCut = at > 0 && path.length > maxEnd * 1.5;
  const cut = isCut ? path.length - maxEnd + at : 0;
  const end = [path.slice(cut), query !== '' && <span class="query">{query}</span>];
  const title = path.length + query.length > maxEnd * 1.5 ? path + query : undefined;
  return (
    <>
      <a class="u" href={fromList(links, links.record(row.token))} data-row="" title={title}>
        {isCut ? [<span>{path.slice(0, cut)}</span>, <span>{end}</span>] : end}
      </a>
      {row.mark !== undefined && <span class="pinned">{markWords(row.mark)}</span>}
    </>
  );
}

/** Characters of the note of a pin that a row shows. */
const maxNoteShown = 40;

function markWords({ note }: RecordMark): string {
  return note.length > maxNoteShown ? `${note.slice(0, maxNoteShown)}…` : note === '' ? 'pinned' : note;
}

/** Estimated width of a character of a finding, in per cent of the lane, with a reserve for wide fonts. */
const characterWidth = 1.35;

/** On a plate the words are bold, and wider. */
const boldShare = 1.12;

/** Part of a bar that a plate may cover. */
const plateShare = 0.6;

/** Part of that width which is needed in windows of 1900 pixels or more. */
const wideShare = 0.66;

/** Width of a torn edge, which a plate leaves visible, in per cent of the lane. */
const tornWidth = 2;

/** The bar with the worst finding: after it if there is room, otherwise on a plate at its end. Where it fits in neither, its words are cut. */
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
      {/* In wide windows the words may stand after the bar after all: the style sheet chooses. */}
      {room >= needed * wideShare && gap(length, 'gap at')}
      {gap(length * (1 - plateShare))}
      {words}
      {gap(row.durationMs > end ? tornWidth : 100 - length)}
    </div>
  );
}

/** Fewer are shown as they are: the line would take as much room. */
const minRun = 3;
const assetFile =
  /\.(?:avif|css|eot|gif|ico|jpe?g|js|jsx|map|mjs|mp4|otf|png|svelte|svg|ts|tsx|ttf|vue|wasm|webm|webmanifest|webp|woff2?)$/i;
/** Paths below which bundlers and development servers serve modules, with or without an extension. */
const assetFolder = /^\/(?:@fs|@id|@vite|_astro|_next\/static|_nuxt|node_modules)\//;
const keptApart: ReadonlySet<keyof ListFilters> = new Set(['own', 'limit', 'page']);

/** Folds runs of requests for assets into their number; never what failed or stands out, nor in a filtered list. */
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
