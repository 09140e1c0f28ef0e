import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { describe, it } from 'node:test';
import { options, type VNode } from 'preact';
import { renderFragment, type RenderMessage } from './render-document.js';

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function Row({ ms }: { ms: number }): VNode {
  busy(ms);
  return <li>{ms}</li>;
}
function List(): VNode {
  busy(5);
  return (
    <ul>
      <Row ms={10} />
      <>
        <Row ms={10} />
      </>
    </ul>
  );
}
function Tree({ depth }: { depth: number }): VNode {
  busy(4);
  return <div>{depth > 0 && <Tree depth={depth - 1} />}</div>;
}
function Broken(): VNode {
  throw new Error('broken');
}

const messageOf = (tree: VNode): RenderMessage => {
  const messages: RenderMessage[] = [];
  const listen = (message: unknown): void => void messages.push(message as RenderMessage); // its channel has one shape
  channel('lookback:html:render').subscribe(listen);
  try {
    renderFragment(tree);
  } finally {
    channel('lookback:html:render').unsubscribe(listen);
  }
  const [message] = messages;
  assert.ok(message !== undefined);
  return message;
};

describe('what components take', () => {
  it('is by name, itself and with those within', () => {
    const { components, durationMs } = messageOf(<List />);
    // The busy machine may hold up either of them: which is the longer one is not known.
    const times = components.map(({ ownMs }) => ownMs);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
      'the longest first',
    );
    const row = components.find(({ name }) => name === 'Row');
    const list = components.find(({ name }) => name === 'List');
    assert.deepEqual([components.length, row?.count, list?.count], [2, 2, 1]);
    assert.ok((row?.ownMs ?? 0) >= 20 && (list?.ownMs ?? 0) >= 5);
    assert.ok((list?.totalMs ?? 0) >= (row?.totalMs ?? 0) + 5);
    assert.ok((list?.ownMs ?? 99) <= durationMs - 20, 'without the rows');
  });

  it('counts a component within itself once', () => {
    const { components, durationMs } = messageOf(<Tree depth={2} />);
    assert.equal(components[0]?.count, 3);
    assert.ok((components[0]?.totalMs ?? 99) <= durationMs);
  });

  it('leaves hooks of others as they were, also where a component throws', () => {
    const seen: unknown[] = [];
    const diffed = (vnode: VNode): void => void seen.push(vnode.type);
    options.diffed = diffed;
    try {
      messageOf(<List />);
      assert.ok(seen.includes(Row));
      assert.throws(() => messageOf(<Broken />), /broken/);
      assert.equal(options.diffed, diffed);
    } finally {
      delete options.diffed;
    }
  });
});
