import { type HttpRequest, HttpResponse } from '#http';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { RecordMark } from '../../model/record-lookup.js';
import type { ProfileSummary } from '../../model/profile-summary.js';
import type { Block } from '../../panels/blocks/block.js';
import type { Panel, PanelContext, QueryPlan } from '../../panels/panel.js';
import { protectResponse } from '../access/protect-response.js';
import { stylesOf } from '../styles/block-styles.js';
import { findNeighbours } from '../lookup/find-neighbours.js';
import { type Miss, Missing, getMarkedRecord } from '../lookup/get-record.js';
import type { ProfilerSite } from '../site/profiler-site.js';
import { recordTone } from './record-header.js';
import { type MenuEntry, RecordPage, type RecordPageData } from './record-page.js';
import { recordStyles } from '../styles/record-styles.js';
import { renderShell } from '../shell/shell.js';
import { say } from '#phrases';

/** Number of rows that the first page of every long list contains. */
const minFirstPageRows = 5;

/** `GET /_profiler/{token}?panel=`: one panel of a record. Default: the one that the record opens with, else the first. */
export async function showRecord(
  site: ProfilerSite,
  request: HttpRequest,
  token: string,
): Promise<HttpResponse> {
  const found = await getMarkedRecord(site, token);
  return showPanel(site, request, { ...found, wanted: request.query.get('panel') ?? '' });
}

/** Shows the page of a record with one panel, and the plan of a query if it was just requested. */
export async function showPanel(
  site: ProfilerSite,
  request: HttpRequest,
  {
    record,
    mark,
    wanted,
    plan,
  }: { record: ProfileRecord; mark?: RecordMark; wanted: string; plan?: QueryPlan },
): Promise<HttpResponse> {
  const chosen = choosePanel(site.panels, wanted, record);
  if (chosen === undefined) {
    const choices = site.panels.map(({ id, title }) => ({
      label: title,
      href: site.links.record(record.token, { panel: id }),
    }));
    throw new Missing({ ...unknownPanel(site, wanted), choices });
  }
  const document = request.query.get('document');
  if (document !== null) return showDocument(chosen, record, document);
  const baseContext = panelContext(site, request, record);
  const { explain } = baseContext;
  const [related, neighbours] = await Promise.all([
    findRelated(site, chosen, record),
    findNeighbours(site.reader, record),
  ]);
  const context: PanelContext = {
    ...baseContext,
    ...(explain === undefined || plan === undefined ? {} : { explain: { ...explain, plan } }),
    related,
  };
  const data = {
    record,
    menu: menuOf(site.panels, record),
    chosen,
    context,
    blocks: [...panelBlocks(chosen, record, context), ...editorHint(site, chosen)],
    links: site.links,
    neighbours,
    mark,
  };
  const render = (shown: RecordPageData): HttpResponse =>
    renderShell(<RecordPage data={shown} />, shellOf(site, shown));
  try {
    return render(data);
  } catch {
    return render({ ...data, blocks: failedPanel(chosen) });
  }
}

/** Returns the options of the shell around the page of a record. */
function shellOf(
  { links }: ProfilerSite,
  { record, chosen, blocks }: RecordPageData,
): Parameters<typeof renderShell>[1] {
  const title = `${record.response?.status ?? 'unfinished'} ${record.request.method} ${record.request.path} (${record.token})`;
  const styles = [...stylesOf(blocks), recordStyles];
  return {
    title,
    links,
    styles,
    tone: recordTone(record),
    frames: chosen.document !== undefined,
  };
}

function editorHint({ editor }: ProfilerSite, { id }: Panel): readonly Block[] {
  if (id !== 'exception' || editor('/app/main.ts', 1, 1) !== undefined) return [];
  return [
    {
      kind: 'note',
      tone: 'neutral',
      text: 'Set LOOKBACK_IDE (vscode, phpstorm, zed …) to open places of code in your editor.',
    },
  ];
}

function menuOf(panels: readonly Panel[], record: ProfileRecord): readonly MenuEntry[] {
  const taken = new Set(['h']); // g h is the list
  const failed = { count: 1, tone: 'error', words: 'the panel failed' } as const;
  return panels.map((panel) => {
    const letter = panel.id.match(/[a-z]/g)?.find((character) => !taken.has(character));
    if (letter !== undefined) taken.add(letter);
    return { panel, letter, badge: safely(() => panel.badge(record), failed) };
  });
}

function choosePanel(panels: readonly Panel[], wanted: string, record: ProfileRecord): Panel | undefined {
  if (wanted !== '') return panels.find((panel) => panel.id === wanted);
  return panels.find((panel) => safely(() => panel.opens?.(record), false) === true) ?? panels[0];
}

/** Returns the blocks of a panel for a record; a note if the panel throws. */
export function panelBlocks(panel: Panel, record: ProfileRecord, context: PanelContext): readonly Block[] {
  return safely(() => panel.show(record, context), undefined) ?? failedPanel(panel);
}

/** Returns the note shown for a panel that threw or whose blocks cannot be rendered. */
export function failedPanel({ title }: Panel): readonly Block[] {
  const text = say(
    'The panel “{name}” failed on this record. The record itself is whole: see its JSON form.',
    { name: title },
  );
  return [{ kind: 'note', tone: 'error', text }];
}

export function panelContext(site: ProfilerSite, request: HttpRequest, record: ProfileRecord): PanelContext {
  const { explainer } = site;
  return {
    link: (panel, query = {}) => site.links.record(record.token, { panel, ...query }),
    linkTo({ panel, anchor }) {
      const found =
        site.panels.find(({ id }) => id === panel) ?? site.panels.find(({ section }) => section === panel);
      // For a row that may not be on the first page, `at` selects the page that contains it.
      const at = Number(/-(\d+)$/.exec(anchor ?? '')?.[1] ?? 0) > minFirstPageRows ? anchor : undefined;
      const address = site.links.record(record.token, { panel: found?.id ?? 'more', at });
      return anchor === undefined ? address : `${address}#${encodeURIComponent(anchor)}`;
    },
    recordLink: (token) => site.links.record(token),
    query: (name) => (request.query.get(name) ?? '').slice(0, 300),
    editor: site.editor,
    related: [],
    ...(explainer === undefined
      ? {}
      : {
          explain: {
            href: site.links.action(record.token, 'explain'),
            knows: (name) => explainer.knows(name),
          },
        }),
  };
}

function unknownPanel({ panels }: ProfilerSite, wanted: string): Miss {
  return {
    status: 404,
    kind: 'unknown-panel',
    title: say('There is no panel “{name}”', { name: wanted.slice(0, 100) }),
    detail: say('A record has these panels: {panels}.', { panels: panels.map(({ id }) => id).join(', ') }),
  };
}

/** Policy of foreign documents: they run no scripts, load and send nothing; only profiler pages may frame them. */
const sandbox =
  "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; frame-ancestors 'self'";
const maxRelated = 50;

/** Returns the result of `work`, or `otherwise` if it throws: a failing panel must not break other parts of the page. */
export function safely<Result, Otherwise>(work: () => Result, otherwise: Otherwise): Result | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

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

/** Shows a document of a panel, which the panel's page embeds in a frame. */
function showDocument(panel: Panel, record: ProfileRecord, name: string): HttpResponse {
  const html = panel.document?.(record, name);
  if (html === undefined)
    return protectResponse(HttpResponse.text('There is no such document.', { status: 404 }));
  return protectResponse(HttpResponse.html(html), sandbox, 'SAMEORIGIN');
}
