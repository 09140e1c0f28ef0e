import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { openMcpClient } from '../records/mcp-client.js';
import { type FlaggedProgram, type RunningProgram, startProgram } from './flagged-program.js';

const up = `Number(process.env.PORT), '127.0.0.1', () => process.send('up')`;

interface Program extends Pick<FlaggedProgram, 'name' | 'text'> {
  readonly package: string;
  /** The next major version, which lookback does not support. */
  readonly next: string;
  /** The supported versions, as printed in the line. */
  readonly supported: string;
  /** The bars recorded for a supported version. */
  readonly bars: readonly string[];
  /** Node does not report whether an ECMAScript module is loaded. */
  readonly isImported?: true;
}

const programs: readonly Program[] = [
  {
    package: 'express',
    next: '6.0.0',
    supported: 'its middleware and handlers are not recorded: recorded versions are 4.x, 5.x',
    name: 'app.cjs',
    text: `
      const app = require('express')();
      app.use(function outer(request, response, next) { next(); });
      app.get('/books/:book', function showBook({ params }, response) { response.send(params.book); });
      app.listen(${up});`,
    bars: ['outer', 'showBook'],
  },
  {
    package: 'fastify',
    next: '6.0.0',
    supported: 'its routes, hooks and handlers are not recorded: recorded versions are 4.x, 5.x',
    name: 'app.cjs',
    text: `
      const app = require('fastify')();
      app.addHook('onRequest', async function outer() {});
      app.get('/books/:book', async function showBook({ params }) { return params.book; });
      app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' }, () => process.send('up'));`,
    bars: ['onRequest: outer', 'showBook'],
  },
  {
    package: 'koa',
    next: '4.0.0',
    supported: 'its routes, middleware and handlers are not recorded: recorded versions are 2.x, 3.x',
    name: 'app.cjs',
    text: `
      const app = new (require('koa'))();
      app.use(async function outer(context, next) { await next(); });
      app.use(function showBook(context) { context.body = context.path.slice(7); });
      app.listen(${up});`,
    bars: ['outer', 'showBook'],
  },
  {
    package: 'polka',
    next: '1.0.0',
    supported: 'its routes and handlers are not recorded: the recorded version is 0.5 and later 0.x',
    name: 'app.cjs',
    text: `
      const app = require('polka')();
      app.get('/books/:book', function showBook({ params }, response) { response.end(params.book); });
      app.listen(${up});`,
    bars: [],
  },
  {
    package: 'hono',
    next: '5.0.0',
    supported: 'its routes, middleware and handlers are not recorded: recorded versions are 3.x, 4.x',
    name: 'app.mjs',
    text: `
      import { serve } from '@hono/node-server';
      import { Hono } from 'hono';
      const app = new Hono();
      app.use(async function outer(context, next) { await next(); });
      app.get('/books/:book', function showBook(context) { return context.text(context.req.param('book')); });
      serve({ fetch: app.fetch, port: Number(process.env.PORT), hostname: '127.0.0.1' }, () => process.send('up'));`,
    bars: ['outer', 'showBook'],
    isImported: true,
  },
  {
    package: '@nestjs/core',
    next: '13.0.0',
    supported:
      'its controllers and errors are not recorded: recorded versions are 8.x, 9.x, 10.x, 11.x, 12.x',
    name: 'app.cjs',
    text: `
      require('reflect-metadata');
      const { Controller, Get, Module, Param } = require('@nestjs/common');
      const { NestFactory } = require('@nestjs/core');
      class BookController { showBook(book) { return book; } }
      const { prototype } = BookController;
      Get('books/:book')(prototype, 'showBook', Object.getOwnPropertyDescriptor(prototype, 'showBook'));
      Param('book')(prototype, 'showBook', 0);
      Controller()(BookController);
      class AppModule {}
      Module({ controllers: [BookController] })(AppModule);
      NestFactory.create(AppModule, { logger: false })
        .then((app) => app.listen(Number(process.env.PORT), '127.0.0.1'))
        .then(() => process.send('up'));`,
    bars: ['BookController.showBook'],
  },
];

interface Seen {
  readonly text: string;
  readonly bars: readonly string[];
  readonly route: string | null | undefined;
  readonly libraries: readonly { readonly name: string; readonly isRecorded: boolean }[];
  readonly program: RunningProgram;
}

async function observe(
  { package: from, name, text }: Program,
  version: string,
  look: (seen: Seen) => void,
): Promise<void> {
  const renamed = { from, to: from, version };
  const program = await startProgram(
    { name, text, renamed },
    { isFlagged: true, store: 'sqlite:records.db' },
  );
  try {
    const answer = await program.ask('/books/7');
    const { timeline, route, libraries = [] } = await answer.record();
    const bars = timeline
      .filter(({ category }) => /^(?:middleware|controller)$/.test(category))
      .map((bar) => bar.name);
    look({ text: answer.text, bars, route: route?.path, libraries, program });
  } finally {
    await program.close();
  }
}

const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join('node_modules', name, 'package.json'), 'utf8')) as { version: string })
    .version; // a manifest

interface LoadedLine {
  readonly topic: string;
  readonly text: string;
  readonly isProblem: boolean;
  readonly libraries?: readonly { readonly name: string }[];
}

/** The lines of `lookback doctor --json` about loaded libraries. */
function askDoctor(program: RunningProgram | undefined, store = 'sqlite:records.db'): readonly LoadedLine[] {
  const args = [resolve('dist/bundle/cli.js'), 'doctor', '--json', '--store', store];
  const { stdout } = spawnSync(process.execPath, args, { cwd: program?.folder ?? '.', encoding: 'utf8' });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as LoadedLine) // as the command prints them
    .filter(({ topic }) => topic === 'loaded');
}

describe('node --import lookback/register: a framework', () => {
  for (const program of programs) {
    const { package: name, next, supported, bars, isImported = false } = program;
    const version = versionOf(name);

    // Doctor's sentence differs only in whether Node reports loaded modules.
    const asksDoctor = isImported || name === 'express';
    it(`${name} of a supported version is recorded${asksDoctor ? ', and doctor says so' : ''}`, async () => {
      await observe(program, version, (seen) => {
        assert.equal(seen.text, '7');
        for (const bar of bars) assert.ok(seen.bars.includes(bar), `${bar} in ${seen.bars.join()}`);
        if (name !== 'koa') assert.equal(seen.route, '/books/:book');
        assert.doesNotMatch(seen.program.stderr(), /not recorded/);
        const found = seen.libraries.find((one) => one.name === name);
        const loaded = isImported ? {} : { isLoaded: true };
        assert.deepEqual(found, { name, version, ...loaded, isRecorded: true });
        if (!asksDoctor) return;
        const [line] = askDoctor(seen.program).filter(({ text }) => text.includes(`${name} ${version}`));
        const how = isImported
          ? ': recorded if loaded; Node does not report loaded ECMAScript modules'
          : ': loaded, recorded';
        assert.match(line?.text ?? '', new RegExp(`${how} \\(process \\d+, running\\)$`));
        assert.equal(line?.isProblem, false);
      });
    });

    it(`${name} of an unsupported version is not patched, and stderr and doctor name the recorded versions`, async () => {
      await observe(program, next, (seen) => {
        assert.equal(seen.text, '7');
        for (const bar of bars) assert.ok(!seen.bars.includes(bar), `${bar} in ${seen.bars.join()}`);
        // The line is true even though parts are recorded: Express keeps the route in the request.
        assert.equal(
          seen.route,
          /^its (?:middleware|controllers)/.test(supported) ? '/books/:book' : undefined,
        );
        const how = isImported ? 'installed' : 'loaded';
        assert.deepEqual(
          seen.program
            .stderr()
            .split('\n')
            .filter((line) => line.includes('not recorded')),
          [`lookback: ${name} ${next} is ${how}; ${supported}`],
        );
        const lines = askDoctor(seen.program).filter(({ isProblem }) => isProblem);
        assert.equal(lines.length, 1, lines.map((line) => line.text).join());
        assert.ok(lines[0]?.text.startsWith(`${name} ${next}: ${how}; ${supported} (process `));
      });
    });
  }

  it('under another name, of an unsupported version, is not patched and is reported by its own name', async () => {
    const [express] = programs;
    assert.ok(express);
    const renamed = { from: 'express', to: 'web', version: '6.0.0' };
    const text = `
      require('node:fs').writeFileSync('package.json', '{"dependencies":{"web":"npm:express@6"}}');
      ${express.text.replace("require('express')", "require('web')")}`;
    const program = await startProgram({ name: 'app.cjs', text, renamed }, { isFlagged: true });
    try {
      const { timeline } = await (await program.ask('/books/7')).record();
      assert.deepEqual(
        timeline.filter(({ category }) => category === 'middleware'),
        [],
      );
      assert.match(
        program.stderr(),
        /^lookback: express 6\.0\.0 is loaded; its middleware and handlers are not recorded/m,
      );
    } finally {
      await program.close();
    }
  });

  it('loaded by two processes has one line in doctor, with both processes', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loaded-twice-'));
    const store = `sqlite:${join(folder, 'records.db')}`;
    const [express] = programs;
    assert.ok(express);
    const first = await startProgram(express, { isFlagged: true, store });
    const second = await startProgram(express, { isFlagged: true, store });
    try {
      for (const program of [first, second]) await (await program.ask('/books/7')).record();
      const said = askDoctor(second, store).map(({ text }) => text);
      const pair = /: loaded, recorded \(process \d+, running; process \d+, running\)$/;
      assert.ok(
        said.some((text) => pair.test(text)),
        said.join('\n'),
      );
    } finally {
      await first.close();
      await second.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  it('of each running process is reported by doctor and by the tool for assistants, and of an ended process if it was the last', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'loaded-store-'));
    const store = `sqlite:${join(folder, 'records.db')}`;
    const [express, fastify] = programs;
    assert.ok(express && fastify);
    const renamed = { from: 'fastify', to: 'fastify', version: '6.0.0' };
    const first = await startProgram(express, { isFlagged: true, store });
    const second = await startProgram({ ...fastify, renamed }, { isFlagged: true, store });
    try {
      for (const program of [first, second]) await (await program.ask('/books/7')).record();
      const said = askDoctor(second, store);
      const express5 = said.find(({ text }) =>
        /^.*express 5[.\d]+.*: loaded, recorded \(process \d+, running\)$/.test(text),
      );
      const fastify6 = said.find(({ text }) => text.startsWith('fastify 6.0.0: loaded; its routes, '));
      assert.deepEqual([express5?.isProblem, fastify6?.isProblem], [false, true]);
      assert.deepEqual(
        express5?.libraries?.find(({ name }) => name === 'express'),
        { name: 'express', version: versionOf('express'), isLoaded: true, isRecorded: true },
      );
      const client = await openMcpClient({
        command: process.execPath,
        args: [resolve('dist/bundle/cli.js'), 'mcp'],
        env: { PATH: process.env['PATH'] ?? '', PROFILER_STORE: store },
      });
      const answer = await client.callTool({ name: 'doctor', arguments: {} });
      await client.close();
      const text = String(answer.content[0]?.text);
      for (const one of said)
        assert.ok(text.includes(`${one.isProblem ? '!' : 'ok'} loaded: ${one.text}`), text);
    } finally {
      await first.close();
      await second.close();
    }
    const last = askDoctor(undefined, store);
    assert.ok(
      last.every(({ text }) => text.endsWith(', ended)')),
      'the process that wrote the newest record has ended',
    );
    assert.ok(last.some(({ text }) => text.startsWith('fastify 6.0.0: loaded; its routes, ')));
    assert.ok(!last.some(({ text }) => text.includes('express 5')));
    rmSync(folder, { recursive: true });
  });
});
