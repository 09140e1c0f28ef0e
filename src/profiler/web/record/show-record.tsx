import type { VNode } from 'preact';
import { safely } from '#core/coded-error';
import { type HttpRequest, HttpResponse } from '#core/http';
import type { ProfileCondition } from '../../model/profile-query.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { RecordMark } from '../../model/record-lookup.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { Block, PanelBadge } from '../../view/block.js';
import { note } from '../../view/make-blocks.js';
import type { Panel, PanelContext, QueryPlan } from '../../sections/panel.js';
import { describeFailure } from '../../sections/section-failure.js';
import { protectResponse } from '../access/protect-response.js';
import { Missing, getMarkedRecord } from './get-record.js';
import type { ProfileReader, ProfilerSite } from '../site/profiler-site.js';
import { type Neighbours, RecordHeader, recordTone, type ShownRecord } from './record-header.js';
import { BlockList } from '../blocks/block-view.js';
import { renderShell } from '../shell/shell.js';
import { say } from '#core/phrases';
import { findHistory } from './find-history.js';

/** Minimum rows on every long list's first page. */
const minFirstPageRows = 5;

/** `GET /_profiler/{token}?panel=`: one of a record's panels. Default: the one that the record opens with, otherwise the first. */
export async function showRecord(
  site: ProfilerSite,
  request: HttpRequest,
  token: string,
): Promise<HttpResponse> {
  const found = await getMarkedRecord(site, token);
  return showPanel(site, request, { ...found, wanted: request.query.get('panel') ?? '' });
}

/** Shows a record's page with one panel, and a query's plan if just requested. */
export async function showPanel(
  site: ProfilerSite,
  request: HttpRequest,
  shown: { record: ProfileRecord; mark?: RecordMark; wanted: string; plan?: QueryPlan },
): Promise<HttpResponse> {
  const { record, mark, wanted, plan } = shown;
  const chosen = choosePanel(site, wanted, record);
  const document = request.query.get('document');
  if (document !== null) return showDocument(chosen, record, document);
  const [related, neighbours, history] = await Promise.all([
    findRelated(site, chosen, record),
    findNeighbours(site.reader, record),
    chosen.id === 'exception' ? findHistory(site, record) : undefined,
  ]);
  const context = {
    ...panelContext(site, request, record, { related, plan }),
    ...(history !== undefined && { history }),
  };
  const { links } = site;
  const menu = menuOf(site.panels, record);
  const render = (blocks: readonly Block[]): HttpResponse =>
    renderShell(
      <RecordPage
        data={{ record, menu, chosen, context, blocks, links, neighbours, mark, now: site.now() }}
      />,
      {
        title: `${record.response?.status ?? 'unfinished'} ${record.request.method} ${record.request.path} (${record.token})`,
        links,
        tone: recordTone(record),
      },
    );
  try {
    return render([...panelBlocks(chosen, record, context), ...editorHint(site, chosen)]);
  } catch (error) {
    return render(failedPanel(chosen, error));
  }
}

function editorHint({ editor }: ProfilerSite, { id }: Panel): readonly Block[] {
  if (id !== 'exception' || editor('/app/main.ts', 1, 1) !== undefined) return [];
  return [note('Set LOOKBACK_IDE=vscode (or phpstorm, zed …) to open source lines in your editor.')];
}

function menuOf(panels: readonly Panel[], record: ProfileRecord): readonly MenuEntry[] {
  const taken = new Set(['h']); // `g h` opens the list
  const failed = { count: 1, tone: 'error', words: 'the panel failed' } as const;
  return panels.map((panel) => {
    const letter = panel.id.match(/[a-z]/g)?.find((character) => !taken.has(character));
    if (letter !== undefined) taken.add(letter);
    return { panel, letter, badge: safely(() => panel.badge(record), failed) };
  });
}

function choosePanel(site: ProfilerSite, wanted: string, record: ProfileRecord): Panel {
  const { panels } = site;
  const opened = panels.find((panel) => safely(() => panel.opens?.(record), false) === true) ?? panels[0];
  const chosen = wanted === '' ? opened : panels.find(({ id }) => id === wanted);
  if (chosen !== undefined) return chosen;
  throw noPanel(site, wanted, record);
}

export function noPanel({ panels, links }: ProfilerSite, wanted: string, record: ProfileRecord): Missing {
  const names = panels.map(({ id }) => id).join(', ');
  const title = `There is no panel “${wanted.slice(0, 100)}”`;
  return new Missing(404, 'unknown-panel', title, {
    detail: `A record has these panels: ${names}.`,
    choices: panels.map((panel) => ({
      label: panel.title,
      href: links.record(record.token, { panel: panel.id }),
    })),
  });
}

/** Returns the blocks of a panel for a record; a note with the reason if the panel throws. */
export function panelBlocks(panel: Panel, record: ProfileRecord, context: PanelContext): readonly Block[] {
  try {
    return panel.show(record, context);
  } catch (error) {
    return failedPanel(panel, error);
  }
}

/** Returns the note shown for a panel that threw, or whose blocks cannot be rendered. */
export function failedPanel({ title }: Panel, error: unknown): readonly Block[] {
  const words =
    'The panel “{name}” failed on this record: {error}. The record itself is complete: see its JSON form.';
  return [note(say(words, { name: title, error: describeFailure(error) }), 'error')];
}

/** Returns a panel's context, with related records and a query plan if given. */
export function panelContext(
  { links, panels, editor, explainer }: ProfilerSite,
  request: HttpRequest,
  { token }: ProfileRecord,
  { related = [], plan }: Partial<Pick<PanelContext, 'related'>> & { plan?: QueryPlan | undefined } = {},
): PanelContext {
  return {
    link: (panel, query = {}) => links.record(token, { panel, ...query }),
    linkTo({ panel, anchor }) {
      const found = panels.find(({ id }) => id === panel) ?? panels.find(({ section }) => section === panel);
      // For a row that may not be on the first page, `at` selects the page that contains it.
      const at = Number(/-(\d+)$/.exec(anchor ?? '')?.[1] ?? 0) > minFirstPageRows ? anchor : undefined;
      const address = links.record(token, { panel: found?.id ?? 'more', at });
      return anchor === undefined ? address : `${address}#${encodeURIComponent(anchor)}`;
    },
    recordLink: (other) => links.record(other),
    query: (name) => (request.query.get(name) ?? '').slice(0, 300),
    editor,
    related,
    ...(explainer && {
      explain: {
        href: links.action(token, 'explain'),
        knows: (name) => explainer.knows(name),
        ...(plan && { plan }),
      },
    }),
  };
}

/**
 * Policy for foreign documents: they cannot run scripts, load or send anything, and only profiler pages may frame them.
 */
const sandbox =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'";
const maxRelated = 50;

/** Finds the other records that a panel shows; none if the lookup fails. */
export async function findRelated(
  { reader }: ProfilerSite,
  panel: Panel,
  record: ProfileRecord,
): Promise<readonly ProfileSummary[]> {
  try {
    const query = panel.related?.(record);
    return query === undefined ? [] : (await reader.list({ limit: maxRelated, ...query })).rows;
  } catch {
    return []; // a failing panel must not break other parts of the page
  }
}

/** Shows a panel's document, which the panel's page embeds in a frame. */
function showDocument(panel: Panel, record: ProfileRecord, name: string): HttpResponse {
  const html = panel.document?.(record, name);
  if (html === undefined)
    return protectResponse(HttpResponse.text('There is no such document.', { status: 404 }));
  return protectResponse(HttpResponse.html(html), sandbox, 'SAMEORIGIN');
}

/** Records that began in the same millisecond are read too; if there are more than this, no neighbour is found. */
const maxNeighbours = 20;

/** Finds the records that began just before and after a record. */
export async function findNeighbours(reader: ProfileReader, record: ProfileRecord): Promise<Neighbours> {
  const { origin, startedAt } = record;
  const nextOf = (rows: readonly ProfileSummary[]): ProfileSummary | undefined => {
    const own = rows.findIndex(({ token }) => token === record.token);
    return own === -1 ? undefined : rows[own + 1];
  };
  const [before, after] = [startedBetween(null, startedAt), startedBetween(startedAt, null)];
  const sort = { column: 'startedAt', isAscending: true };
  const [older, newer] = await Promise.all([
    reader.list({ origin, where: [before], limit: maxNeighbours }),
    reader.list({ origin, where: [after], limit: maxNeighbours, sort }),
  ]);
  return { older: nextOf(older.rows), newer: nextOf(newer.rows) };
}

function startedBetween(least: number | null, most: number | null): ProfileCondition {
  return { columns: ['startedAt'], test: { kind: 'numbers', ranges: [[least, most]] } };
}

interface MenuEntry {
  readonly panel: Panel;
  readonly badge: PanelBadge | 'plain' | undefined;
  /** Key that opens the panel after `g`: the first letter of its id that no earlier panel uses. */
  readonly letter: string | undefined;
}

interface RecordPageData extends ShownRecord {
  readonly menu: readonly MenuEntry[];
  readonly chosen: Panel;
  readonly blocks: readonly Block[];
}

/** A record's page: header, panel menu, and the selected panel. */
function RecordPage({ data }: { data: RecordPageData }): VNode {
  const { chosen, blocks } = data;
  const isAnswered = blocks[0]?.kind === 'answer';
  const lead = isAnswered ? 0 : leadOf(blocks);
  return (
    <>
      <RecordHeader {...data} panel={chosen.id} />
      <div class="columns">
        <PanelMenu data={data} />
        <section class="panel" aria-labelledby="panel-title">
          <div class={isAnswered ? 'visually-hidden' : 'head'}>
            <h2 id="panel-title">{chosen.title}</h2>
            <BlockList blocks={blocks.slice(0, lead)} level={3} />
          </div>
          <BlockList blocks={blocks.slice(lead)} level={3} />
        </section>
      </div>
    </>
  );
}

/** Returns how many leading blocks fit in the title line: figures, a sentence, and filters. */
function leadOf(blocks: readonly Block[]): number {
  const fits: readonly Block['kind'][] = ['metrics', 'text', 'filters'];
  const at = blocks.findIndex(({ kind }) => !fits.includes(kind));
  return blocks.length === 1 ? 0 : Math.min(at === -1 ? blocks.length : at, 2);
}

/** Menu group headings; the first group, the request's work, has none. */
const groups = { request: 'Request', process: 'Process' } as const;

function PanelMenu({ data }: { data: RecordPageData }): VNode {
  const shown = data.menu.filter(({ badge }) => badge !== undefined);
  const empty = data.menu.filter(({ badge }) => badge === undefined);
  const links = (entries: readonly MenuEntry[]): VNode[] =>
    entries.map(({ panel, letter, badge }) => (
      <a
        href={data.links.record(data.record.token, { panel: panel.id })}
        data-go={letter}
        title={letter === undefined ? undefined : `g ${letter}`}
        aria-current={panel === data.chosen ? 'page' : undefined}
      >
        <span class="name">{panel.title}</span>
        {badge !== undefined && badge !== 'plain' && (
          <span class={`badge is-${badge.tone}`}>
            <span aria-hidden="true">{badge.count}</span>
            <span class="visually-hidden">{badge.words}</span>
          </span>
        )}
      </a>
    ));
  return (
    <nav class="menu" aria-label="Panels">
      {links(shown.filter(({ panel: { group = 'work' } }) => group === 'work'))}
      {Object.entries(groups).map(([group, title]) => [
        <span class="group">{title}</span>,
        links(shown.filter(({ panel }) => panel.group === group)),
      ])}
      {empty.length > 0 && (
        <details open={empty.some(({ panel }) => panel === data.chosen)}>
          <summary>{say('{n} empty panel|{n} empty panels', { n: empty.length })}</summary>
          {links(empty)}
        </details>
      )}
    </nav>
  );
}
