import { BlockList } from '../../src/profiler/web/blocks/block-view.js';
import { renderFragment } from '#core/html';
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { HttpRequest, HttpResponse } from '#core/http';
import { runInScope } from '#core/scope';
import { createProfiler } from '../../src/profiler/create-profiler.js';
import type { Budgets, Section } from '../../src/profiler/sections/section.js';
import type { ProfileRecord } from '../../src/profiler/model/profile-record.js';
import type { Recording } from '../../src/profiler/model/recording.js';
import type { Block } from '../../src/profiler/view/block.js';
import type { Panel, PanelContext } from '../../src/profiler/sections/panel.js';
import { requestRecording } from '../../src/profiler/recording/current-recording.js';
import { builtinPanels } from '../../src/profiler/web/open-profiler-pages.js';

/** A context for panels; links show their arguments. */
export function contextWith(query: Readonly<Record<string, string>> = {}): PanelContext {
  return {
    link: (panel, given = {}) =>
      `?panel=${panel}&${new URLSearchParams(given as Record<string, string>).toString()}`,
    linkTo: ({ panel, anchor = '' }) => `?panel=${panel}#${anchor}`,
    recordLink: (token) => `/_profiler/${token}`,
    query: (name) => query[name] ?? '',
    editor: (file, line) => ({ href: `vscode://file${file}:${line}`, label: 'open' }) as never, // only links are used
    related: [],
  };
}

export type Message = readonly [name: string, message: unknown];

/** Records a request during which these messages are published. */
export async function recordWith(
  sections: readonly Section[],
  during: (recording: Recording) => void,
  options: { readonly budgets?: Budgets } = {},
): Promise<ProfileRecord> {
  const { budgets } = options;
  const profiler = createProfiler({
    store: 'memory:',
    sections,
    ...(budgets === undefined ? {} : { budgets }),
  });
  try {
    const peer = { address: '127.0.0.1', port: 1, encrypted: false };
    const request = new HttpRequest({
      method: 'GET',
      target: '/',
      rawHeaders: ['Host', 'a.test'],
      httpVersion: '1.1',
      peer,
    });
    const recording = profiler.begin(request);
    request.scope.set(requestRecording, recording);
    runInScope(request.scope, () => during(recording));
    profiler.finish(recording, new HttpResponse('body'), {
      status: 200,
      headers: [],
      bodyBytes: 4,
      completed: true,
    });
    const found = await profiler.find(recording.token);
    assert.ok(found.kind === 'found');
    assert.equal(profiler.counters().failures, 0);
    return found.record;
  } finally {
    await profiler.close();
  }
}

/** Records a request during which these messages are published. */
export function published(messages: readonly Message[]): Promise<ProfileRecord> {
  return recordWith([], () => {
    for (const [name, message] of messages) channel(`lookback:${name}`).publish(message);
  });
}

export const panelOf = (id: string): Panel =>
  builtinPanels.find((panel) => panel.id === id) ?? assert.fail(id);

export const shown = (
  id: string,
  record: ProfileRecord,
  query: Readonly<Record<string, string>> = {},
): readonly Block[] => panelOf(id).show(record, contextWith(query));

export const badgeOf = (id: string, record: ProfileRecord): unknown => {
  const badge = panelOf(id).badge(record);
  return typeof badge === 'object' ? [badge.count, badge.tone, badge.words] : badge;
};

export const htmlOf = (blocks: readonly Block[]): string =>
  String(renderFragment(<BlockList blocks={blocks} level={2} />));
