import { Agent, get } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Child } from '../harness/child.mjs';

/** Starts a process with a profiler (`serve.mjs`) and a store. */
export async function startWatched(kind, store, { env = {}, flags = [] } = {}) {
  const child = new Child(new URL('serve.mjs', import.meta.url), {
    args: [kind],
    flags,
    env: { LOOKBACK: 'on', PROFILER_STORE: store, PROFILER_MAX_RECORDS: '1000000', ...env },
  });
  try {
    const { port } = await child.next();
    return { child, port };
  } catch (error) {
    await child.stop();
    throw error;
  }
}

/** Sends one request from this machine: returns status, token, body, and when the response was complete. */
export function ask(port, path, { agent, accept = '*/*' } = {}) {
  return new Promise((resolve, reject) => {
    const request = get(
      { port, path, agent, host: '127.0.0.1', headers: { accept }, timeout: 20_000 },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk) => (body += chunk));
        response.on('error', reject);
        response.on('end', () => {
          const token = response.headers['x-debug-token'];
          resolve({ path, status: response.statusCode, token, body, at: performance.now() });
        });
      },
    );
    request.on('timeout', () => request.destroy(new Error(`No answer: ${path}`)));
    request.on('error', reject);
  });
}

/**
 * Keeps connections busy, each with its next request as soon as it has a response, or sends `perSecond` requests in total. One request in
 * ten fails. `stop` returns the responses, and how many requests got none.
 */
export function startLoad(port, { connections = 16, perSecond, name = '' }) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answers = [];
  let [sent, unanswered, isStopped] = [0, 0, false];
  const began = performance.now();
  const visit = async () => {
    while (!isStopped) {
      const number = sent++;
      const due = perSecond === undefined ? 0 : began + (number * 1000) / perSecond - performance.now();
      if (due > 0) await wait(due);
      if (isStopped) return;
      const path = `/${number % 10 === 3 ? 'fail' : 'ok'}/${name}-${number}`;
      const asked = performance.now();
      const answer = await ask(port, path, { agent }).catch(() => undefined);
      if (answer === undefined) unanswered++;
      else answers.push({ ...answer, body: '', ms: answer.at - asked });
      if (answer === undefined) await wait(20);
    }
  };
  const visitors = Array.from({ length: connections }, visit);
  return {
    answers,
    async stop() {
      isStopped = true;
      await Promise.all(visitors);
      agent.destroy();
      return { answers, unanswered };
    },
  };
}

export async function until(condition, { ms = 60_000, what }) {
  const end = performance.now() + ms;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > end) throw new Error(`Not within ${ms / 1000} s: ${what}`);
    await wait(10);
  }
}

export function spreadOf(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), greatest: at(1) };
}
