import type { VNode } from 'preact';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { RecordMark } from '../../model/record-lookup.js';
import { formatAge, formatMilliseconds, isoTime } from '../../words/format.js';
import { formatTerm } from '../../query/parse-query.js';
import { type ParsedFilters, withTerms } from './list-filters.js';
import { type ProfilerLinks, splitUrl } from '../site/links.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { percent, RequestBar } from '../blocks/request-bar.js';
import { StatusLink } from '../blocks/status.js';
import { type Problem, problemsOf } from '../../findings/row-problems.js';

interface RequestRowProps {
  readonly site: ProfilerSite;
  readonly row: ProfileSummary;
  readonly parsed: ParsedFilters;
  /** End of the axis in milliseconds. */
  readonly end: number;
}

/** One row of the list. Status and user are links that filter by their value. */
export function RequestRow({ site: { links, now }, row, parsed, end }: RequestRowProps): VNode {
  const filtered = (term: string): string => links.list(withTerms(parsed, term));
  return (
    <tr>
      <td class="st">
        <input type="checkbox" name="t" value={row.token} aria-label={`Compare ${row.token}`} />
        <StatusLink status={row.status} href={filtered(`status:${row.status}`)} />
      </td>
      <td class="me">{row.method}</td>
      <td>
        <RowLink row={row} links={links} />
      </td>
      <td class="us">
        {row.user !== null && <a href={filtered(formatTerm('user', row.user))}>{row.user}</a>}
      </td>
      <td class="ch">
        <Lane row={row} end={end} problem={problemsOf(row, parsed.collected)[0]} />
      </td>
      <td>{formatMilliseconds(row.durationMs)}</td>
      <td class="ag">
        <time dateTime={isoTime(row.startedAt).replace(/\.\d+/, '')} data-age="s">
          {formatAge(now() - row.startedAt).replace(' ago', '')}
        </time>
      </td>
      <td class="tk">{row.token}</td>
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
      <a class="u" href={links.record(row.token)} data-row="" title={title}>
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
  const needed = (problem.words.length + (problem.place?.length ?? -1) + 1) * characterWidth;
  const room = 98 - length;
  const isAfter = room >= needed || room > (length * plateShare) / boldShare;
  const words = (
    <span class={`say ${problem.tone}${isAfter ? '' : ' plate'}`}>
      <span>{problem.words}</span>
      {problem.place !== undefined && <code> {problem.place}</code>}
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
