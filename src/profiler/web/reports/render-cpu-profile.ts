import type { CpuSection } from '../../recording/cpu-profiler.js';

/** Renders a profile in the format that DevTools and editors read (`.cpuprofile`), with positions in the original sources. */
export function renderCpuProfile({ functions, nodes, samples, durationMs }: CpuSection): string {
  const children = nodes.map((): number[] => []);
  for (const [index, { parent }] of nodes.entries()) children[parent - 1]?.push(index + 1);
  const hits = nodes.map(() => 0);
  for (const { node } of samples) hits[node] = (hits[node] ?? 0) + 1;
  let waited = 0;
  const timeDeltas = samples.map(({ us }) => {
    const delta = waited;
    waited = us; // a delta is the time before its sample
    return delta;
  });
  return JSON.stringify({
    nodes: nodes.map(({ call }, index) => {
      const { name = '', file = '', line = 0, column = 0 } = functions[call] ?? {};
      return {
        id: index + 1,
        callFrame: {
          functionName: name,
          scriptId: '0',
          url: file,
          lineNumber: line - 1,
          columnNumber: column - 1,
        },
        hitCount: hits[index],
        children: children[index],
      };
    }),
    startTime: 0,
    endTime: Math.round(durationMs * 1000),
    samples: samples.map(({ node }) => node + 1),
    timeDeltas,
  });
}
