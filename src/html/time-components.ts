import { Fragment, options, type VNode } from 'preact';

/** Time spent in the components of one name during one rendering, in milliseconds with fractions. */
export interface ComponentTime {
  readonly name: string;
  readonly count: number;
  /** Time without nested components. */
  readonly ownMs: number;
  /** Time with nested components; a component nested in a same-named one is not counted again. */
  readonly totalMs: number;
}

type Hook = (vnode: VNode) => void;
/** preact has no public name for its hook before rendering (`__b`); if a version does not call it, nothing is timed. */
const hooks = options as { __b?: Hook | undefined; diffed?: Hook | undefined }; // see above

interface Frame {
  readonly vnode: VNode;
  readonly name: string;
  readonly begun: number;
  inner: number;
}

const maxNames = 100;

/** Calls `render` and measures its components, longest first. Hooks that are already set are still called. */
export function timeComponents(render: () => string): {
  readonly markup: string;
  readonly components: readonly ComponentTime[];
} {
  const { __b: before, diffed } = hooks;
  const open: Frame[] = [];
  const times = new Map<string, { count: number; ownMs: number; totalMs: number }>();
  hooks.__b = (vnode) => {
    before?.(vnode);
    if (typeof vnode.type !== 'function' || vnode.type === Fragment) return;
    const name = vnode.type.displayName ?? vnode.type.name;
    open.push({ vnode, name, begun: performance.now(), inner: 0 });
  };
  hooks.diffed = (vnode) => {
    diffed?.(vnode);
    if (open.at(-1)?.vnode !== vnode) return;
    const frame = open.pop();
    if (frame === undefined) return;
    const took = performance.now() - frame.begun;
    const outer = open.at(-1);
    if (outer !== undefined) outer.inner += took;
    const known = times.get(frame.name);
    if (known === undefined && times.size >= maxNames) return;
    const time = known ?? { count: 0, ownMs: 0, totalMs: 0 };
    time.count++;
    time.ownMs += took - frame.inner;
    if (!open.some(({ name }) => name === frame.name)) time.totalMs += took;
    times.set(frame.name, time);
  };
  try {
    const markup = render();
    const components = Array.from(times, ([name, time]) => ({ name, ...time }));
    return { markup, components: components.toSorted((a, b) => b.ownMs - a.ownMs) };
  } finally {
    Object.assign(hooks, { __b: before, diffed });
  }
}
