import { findSection } from '../../collectors/define-part.js';
import type { ProfileRecord } from '../../model/profile-record.js';
import type { CpuSection } from '../../tape/cpu/cpu-section.js';
import { formatMilliseconds, shortPath } from '../../words/format.js';
import { say } from '#phrases';
import type { Block, Flame } from '../blocks/block.js';
import {
  column,
  numberColumn,
  wideColumn,
  metric,
  metricsOf,
  mono,
  note,
  compact,
  table,
  warning,
  placeValue,
} from '../blocks/make-blocks.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { type Call, isOwnCall, readCallTree, sumFunctions } from './call-tree.js';

/** Maximum boxes and rows of the flame graph, and functions of the table. */
const shown = { flames: 150, depth: 60, functions: 25 };
/** Boxes narrower than this share of the width are omitted. */
const minWidth = 0.004;

/** The CPU profile, if `?_profile=cpu` requested one: a flame graph, and the functions by self time. */
export const cpuPanel: Panel = createSectionPanel<CpuSection>({
  id: 'cpu',
  title: 'CPU profile',
  fields: ['functions', 'nodes', 'samples'],
  badge: () => 'plain',
  opens: (record) => record.exception === null && (cpuSectionOf(record)?.nodes.length ?? 0) > 0,
  none: 'No CPU profile was requested. Add _profile=cpu to the query of the request, or choose “Replay with a CPU profile” among the actions.',
  show: (section, record, context) =>
    section.nodes.length === 0 ? [warning(section.refusal)] : profileBlocks(section, record, context),
});

export function cpuSectionOf(record: ProfileRecord): CpuSection | undefined {
  return findSection<CpuSection>(record, 'cpu', ['functions', 'nodes', 'samples']);
}

function profileBlocks(section: CpuSection, record: ProfileRecord, context: PanelContext): readonly Block[] {
  const { calls, idleUs, unseenUs, collectingUs } = readCallTree(section);
  const busyUs = calls[0]?.totalUs ?? 0;
  const wanted = context.query('frame');
  const root = (/^\d{1,5}$/.test(wanted) ? calls[Number(wanted)] : undefined) ?? calls[0];
  if (root === undefined) return [];
  const unseen = say('{time} were not sampled: the machine was too busy to run the sampler.', {
    time: formatMilliseconds(unseenUs / 1000),
  });
  return [
    metricsOf([
      metric('profiled', formatMilliseconds(section.durationMs)),
      metric('on the CPU', formatMilliseconds(busyUs / 1000)),
      metric('waiting', formatMilliseconds(idleUs / 1000)),
      metric('garbage collection', formatMilliseconds(collectingUs / 1000)),
      ...compact(unseenUs > 0 && metric('not sampled', formatMilliseconds(unseenUs / 1000))),
    ]),
    note(scopeText(section), section.others > 0 ? 'warn' : 'info'),
    ...compact(unseenUs / 1000 >= section.durationMs * 0.1 && warning(unseen)),
    {
      kind: 'filters',
      label: 'Shown part',
      filters: [
        ...pathTo(root, calls).map((call) => ({
          label: labelOf(call),
          href: context.link('cpu', call.parent === -1 ? {} : { frame: String(call.index) }),
          chosen: call === root,
        })),
        {
          label: 'Download .cpuprofile',
          href: `${context.recordLink(record.token)}.cpuprofile`,
          chosen: false,
        },
      ],
    },
    { kind: 'flames', label: 'Flame graph', flames: flamesOf(root, calls) },
    functionTable(calls, busyUs, context),
  ];
}

function scopeText({ others, isCut }: CpuSection): string {
  const scope =
    others > 0
      ? say(
          'V8 profiles the process: the work of {n} other request that began meanwhile is in it.|V8 profiles the process: the work of {n} other requests that began meanwhile is in it.',
          { n: others },
        )
      : 'V8 profiles the process; no other request began meanwhile.';
  return isCut ? `${scope} It was cut: after 30 seconds, or to its largest part.` : scope;
}

function pathTo(root: Call, calls: readonly Call[]): readonly Call[] {
  const path = [root];
  for (let one = calls[root.parent]; one !== undefined; one = calls[one.parent]) path.unshift(one);
  return path.length > 6 ? [...path.slice(0, 1), ...path.slice(-5)] : path;
}

function labelOf({ parent, name }: Call): string {
  return parent === -1 ? 'all' : name;
}

/** Lays out the boxes row by row, widest first, up to the limits in `shown`. */
function flamesOf(root: Call, calls: readonly Call[]): readonly Flame[] {
  const whole = Math.max(root.totalUs, 1);
  const flames: Flame[] = [];
  let row = [{ call: root, start: 0 }];
  for (let depth = 0; row.length > 0 && depth < shown.depth; depth++) {
    const next: typeof row = [];
    for (const { call, start } of row) {
      const width = call.totalUs / whole;
      if (width < minWidth || flames.length >= shown.flames) continue;
      const place = call.file === '' ? '' : ` ${shortPath(call.file)}:${call.line}`;
      const share = `${(width * 100).toFixed(1)} %`;
      flames.push({
        label: labelOf(call),
        depth,
        start,
        width,
        title: `${labelOf(call)} ${formatMilliseconds(call.totalUs / 1000)}, ${share}${place}`,
        isOwn: isOwnCall(call),
        href: call.parent === -1 ? '?panel=cpu' : `?panel=cpu&frame=${call.index}`,
      });
      next.push(...layOutCallees(call, { start, whole, calls }));
    }
    row = next;
  }
  return flames;
}

/** Places the callees of a call next to each other, starting at its left edge. */
function layOutCallees(
  { children }: Call,
  {
    start,
    whole,
    calls,
  }: { readonly start: number; readonly whole: number; readonly calls: readonly Call[] },
): readonly { readonly call: Call; readonly start: number }[] {
  let at = start;
  return children.flatMap((index) => {
    const call = calls[index];
    const placed = call === undefined ? [] : [{ call, start: at }];
    at += (call?.totalUs ?? 0) / whole;
    return placed;
  });
}

function functionTable(calls: readonly Call[], busyUs: number, { editor }: PanelContext): Block {
  const sums = sumFunctions(calls).toSorted((a, b) => b.selfUs - a.selfUs || b.totalUs - a.totalUs);
  return table('Functions by the time in themselves', sums.slice(0, shown.functions), {
    columns: [
      column('Function', (call) => ({ ...mono(call.name), muted: !isOwnCall(call) })),
      numberColumn('Self', ({ selfUs }) => formatMilliseconds(selfUs / 1000)),
      numberColumn('Total', ({ totalUs }) => formatMilliseconds(totalUs / 1000)),
      numberColumn('Share', ({ totalUs }) => `${((totalUs / Math.max(busyUs, 1)) * 100).toFixed(1)} %`, {
        minor: true,
      }),
      wideColumn('Place', (call) => placeValue({ ...call, name: '' }, editor)),
    ],
    empty: 'No sample was taken: it was over too soon.',
  });
}
