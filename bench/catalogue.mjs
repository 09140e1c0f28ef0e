import { readdirSync } from 'node:fs';

/** Names of the files of a folder of the bench, without their ending. */
export function namesIn(folder) {
  return readdirSync(new URL(`${folder}/`, import.meta.url))
    .filter((name) => name.endsWith('.mjs') && name !== 'attached.mjs')
    .map((name) => name.slice(0, -'.mjs'.length))
    .sort();
}

export const fileOf = (folder, name) =>
  new URL(`${folder}/${isAttached(name) ? attachedFile(name) : `${name}.mjs`}`, import.meta.url).href;

/** Applications of others, each compared with itself without anything: attach-express-lookback. */
export const attachedFrameworks = ['plain', 'express', 'fastify'];
export const attachedNames = attachedFrameworks.flatMap((framework) =>
  ['lookback', 'development', 'otlp', 'opentelemetry', 'sentrysent', 'sentry'].map(
    (agent) => `attach-${framework}-${agent}`,
  ),
);
export const isAttached = (name) => name.startsWith('attach-');
const attachedFile = (name) => `attached.mjs?${name.slice('attach-'.length)}`;

export const baseline = 'plain';

/** Servers with an asynchronous handler are compared with one that has the same. */
export const asyncBaseline = 'plain-async';
export const isAsync = (name) => name.endsWith('-async');

/** Whole applications are compared with this one. */
export const applicationBaseline = 'fastify-application';
export const isApplication = (name) => name.includes('application');

/** What a quick run looks at where nothing is named. */
export const quickServers = [
  'fastify',
  'fastify-async',
  'hono',
  'lookback-application-sqlite',
  'lookback-off',
  'lookback-off-async',
  'lookback-sqlite',
  'lookback-sqlite-identical',
  'lookback-sqlite-two-cores',
  'lookback-production',
  'plain-context-async',
];
export const quickPieces = ['dispatch', 'record', 'error-page'];
