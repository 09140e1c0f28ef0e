import { findSection } from '../define-section.js';
import { isOfRequest, type ProfileRecord } from '../../model/profile-record.js';
import type { CpuSection } from '../../recording/cpu-profiler.js';
import { formatMilliseconds, shortPath } from '../../model/formatting.js';
import { say } from '#core/phrases';
import type { Block, Blocks, Flame } from '../../view/block.js';
import { note, warning } from '../../view/make-blocks.js';
import { metricsOf } from '../../view/make-facts.js';
import { column, table } from '../../view/make-tables.js';
import { mono, locationValue } from '../../view/make-values.js';
import type { Panel, PanelContext } from '../panel.js';
import { createSectionPanel } from '../section-panel.js';
import { type Call, isOwnCall, readCallTree, sumFunctions } from './call-tree.js';

/** Maximum boxes and rows in the flame graph, and functions in the table. */
const shown = { flames: 150, depth: 60, functions: 25 };
/** Boxes narrower than this share of the width are omitted. */
const minWidth = 0.004;

/** The CPU profile, if `?_profile=cpu` requested one: a flame graph, and the functions by self time. */
const profiledPanel: Panel = createSectionPanel<CpuSection>({
  id: 'cpu',
  title: 'CPU profile',
  fields: ['functions', 'nodes', 'samples'],
  badge: () => 'plain',
  opens: (record) => record.exception === null && (cpuSectionOf(record)?.nodes.length ?? 0) > 0,
  none: 'No CPU profile was requested. Add _profile=cpu to the query of the request, or send it again with a profile:',
  show: (section, record, context) =>
    section.nodes.length === 0 ? warning(section.refusal) : profileBlocks(section, record, context),
});

export const cpuPanel: Panel = {
  ...profiledPanel,
  show(record, context) {
    const blocks = profiledPanel.show(record, context);
    if (cpuSectionOf(record) !== undefined || !isOfRequest(record)) return blocks;
    const action = `${context.recordLink(record.token)}/replay`;
    return [
      ...blocks,
      { kind: 'form', label: 'Replay with a CPU profile', action, fields: { profile: 'cpu' } },
    ];
  },
};

export function cpuSectionOf(record: ProfileRecord): CpuSection | undefined {
  return findSection<CpuSection>(record, 'cpu', ['functions', 'nodes', 'samples']);
}

function profileBlocks(section: CpuSection, record: ProfileRecord, context: PanelContext): Blocks {
  const { calls, idleUs, unseenUs, collectingUs } = readCallTree(section);
  const busyUs = calls[0]?.totalUs ?? 0;
  const wanted = context.query('frame');
  const root = (/^\d{1,5}$/.test(wanted) ? calls[Number(wanted)] : undefined) ?? calls[0];
  if (root === undefined) return [];
  const unseen = `${formatMilliseconds(unseenUs / 1000)} were not sampled: the machine was too busy to run the sampler.`;
  return [
    metricsOf(
      ['profiled', formatMilliseconds(section.durationMs)],
      ['on the CPU', formatMilliseconds(busyUs / 1000)],
      ['waiting', formatMilliseconds(idleUs / 1000)],
      ['garbage collection', formatMilliseconds(collectingUs / 1000)],
      unseenUs > 0 && ['not sampled', formatMilliseconds(unseenUs / 1000)],
    ),
    note(scopeText(section), section.others > 0 ? 'warn' : 'info'),
    unseenUs / 1000 >= section.durationMs * 0.1 && warning(unseen),
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
      ? `V8 profiles the whole process, including the work of ${say('{n} other request|{n} other requests', { n: others })} that began meanwhile.`
      : 'V8 profiles the whole process; no other request began meanwhile.';
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

/** Lays out the boxes row by row, widest first from the left edge of their call, up to the limits in `shown`. */
function flamesOf(root: Call, calls: readonly Call[]): readonly Flame[] {
  const whole = Math.max(root.totalUs, 1);
  const flames: Flame[] = [];
  let row = [{ call: root, start: 0 }];
  for (let depth = 0; row.length > 0 && depth < shown.depth; depth++) {
    const next: typeof row = [];
    for (const { call, start } of row) {
      const width = call.totalUs / whole;
      if (width < minWidth || flames.length >= shown.flames) continue;
      const location = call.file === '' ? '' : ` ${shortPath(call.file)}:${call.line}`;
      const share = `${(width * 100).toFixed(1)} %`;
      flames.push({
        label: labelOf(call),
        depth,
        start,
        width,
        title: `${labelOf(call)} ${formatMilliseconds(call.totalUs / 1000)}, ${share}${location}`,
        isOwn: isOwnCall(call),
        href: call.parent === -1 ? '?panel=cpu' : `?panel=cpu&frame=${call.index}`,
      });
      let at = start;
      for (const callee of call.children.flatMap((index) => calls[index] ?? [])) {
        next.push({ call: callee, start: at });
        at += callee.totalUs / whole;
      }
    }
    row = next;
  }
  return flames;
}

function functionTable(calls: readonly Call[], busyUs: number, { editor }: PanelContext): Block {
  const sums = sumFunctions(calls).toSorted((a, b) => b.selfUs - a.selfUs || b.totalUs - a.totalUs);
  return table('Functions by self time', sums.slice(0, shown.functions), {
    columns: [
      column.plain('Function', (call) => ({ ...mono(call.name), muted: !isOwnCall(call) })),
      column.number('Self', ({ selfUs }) => formatMilliseconds(selfUs / 1000)),
      column.number('Total', ({ totalUs }) => formatMilliseconds(totalUs / 1000)),
      column.number('Share', ({ totalUs }) => `${((totalUs / Math.max(busyUs, 1)) * 100).toFixed(1)} %`, {
        minor: true,
      }),
      column.wide('Place', (call) => locationValue({ ...call, name: '' }, editor)),
    ],
    empty: 'No sample was taken: the request was too short.',
  });
}
