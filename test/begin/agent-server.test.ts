import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type McpClient, openMcpClient } from '../records/mcp-client.js';
import { findPostgres } from '../profiler/store-servers.js';
import { homeEnvironment } from './packed-package.js';

const application = `
import { createApp } from 'lookback';
const app = createApp({ logHandlers: [] });
app.get('/', () => { throw new Error('The till is stuck.'); });
const { url } = await app.listen({ port: 0 });
process.send(url);
process.on('message', async () => { await app.close(); process.disconnect(); });
`;

/** Starts the server in a folder, as configured by "lookback agent init". */
describe(
  'the server that "lookback agent init" configures, in a workspace',
  { skip: process.platform === 'win32' },
  () => {
    const root = mkdtempSync(join(tmpdir(), 'lookback-workspace-'));
    const environment = (): Record<string, string> => {
      const { PATH = '', HOME = root } = homeEnvironment();
      return {
        PATH: `${join(root, 'node_modules/.bin')}${delimiter}${PATH}`,
        HOME,
        XDG_STATE_HOME: join(root, 'state'),
      };
    };
    before(() => {
      for (const folder of [
        'node_modules/.bin',
        'node_modules/@modelcontextprotocol',
        'packages/shop',
        'packages/web',
      ])
        mkdirSync(join(root, folder), { recursive: true });
      symlinkSync(resolve('.'), join(root, 'node_modules/lookback'), 'junction');
      const server = 'node_modules/@modelcontextprotocol/server';
      symlinkSync(resolve(server), join(root, server), 'junction');
      const program = `#!/bin/sh\nexec "${process.execPath}" "${resolve('dist/bundle/cli.js')}" "$@"\n`;
      writeFileSync(join(root, 'node_modules/.bin/lookback'), program, { mode: 0o755 });
      writeFileSync(join(root, 'package.json'), '{"name":"all","private":true,"workspaces":["packages/*"]}');
      for (const name of ['shop', 'web'])
        writeFileSync(join(root, 'packages', name, 'package.json'), `{"name":"${name}","type":"module"}`);
      writeFileSync(join(root, 'packages/shop/app.js'), application);
      const { status, stderr } = spawnSync(
        process.execPath,
        [resolve('dist/bundle/cli.js'), 'agent', 'init'],
        {
          cwd: root,
          encoding: 'utf8',
        },
      );
      assert.equal(status, 0, stderr);
    });
    after(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

    const open = (folder: string): Promise<McpClient> => {
      const { mcpServers } = JSON.parse(readFileSync(join(root, '.mcp.json'), 'utf8')) as {
        mcpServers: { lookback: { command: string; args: string[] } };
      }; // the format that the command writes
      return openMcpClient({ ...mcpServers.lookback, cwd: join(root, folder), env: environment() });
    };
    const ask = async (client: McpClient, name: string): Promise<string> =>
      (await client.callTool({ name, arguments: {} })).content[0]?.text ?? '';

    /** Starts the application in its package, sends it a request that fails, and stops it once its record is stored. */
    async function failOnce(more: Record<string, string> = {}): Promise<void> {
      const program: ChildProcess = spawn(process.execPath, ['app.js'], {
        cwd: join(root, 'packages/shop'),
        env: { ...environment(), APP_ENV: 'dev', ...more },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      });
      const ended = once(program, 'exit');
      const [url] = (await once(program, 'message')) as [string]; // sent by the program
      assert.equal((await fetch(url)).status, 500);
      program.send('close');
      assert.deepEqual(await ended, [0, null]);
    }

    it("finds a package's records from the root and from another package, before and after its application starts", async () => {
      const early = await Promise.all([open('.'), open('packages/web')]);
      try {
        for (const client of early)
          assert.match(await ask(client, 'problems'), /No application has records for /);
        await failOnce();
        for (const client of early) {
          assert.match(await ask(client, 'problems'), /^1 error 1x of 1 .*The till is stuck/m);
          assert.match(await ask(client, 'applications'), /shop .*1 records/);
        }
      } finally {
        for (const client of early) await client.close();
      }
      const late = await open('packages/shop');
      try {
        assert.match(await ask(late, 'problems'), /^1 error 1x of 1 .*The till is stuck/m);
      } finally {
        await late.close();
      }
    });

    it('reads the PostgreSQL store that the .env file names', async () => {
      const postgres = await findPostgres();
      try {
        writeFileSync(join(root, '.env'), `PROFILER_STORE=${postgres.address}\n`);
        const client = await open('.');
        try {
          await failOnce({ PROFILER_STORE: postgres.address });
          assert.match(await ask(client, 'problems'), /^1 error 1x of 1 .*The till is stuck/m);
          const applications = await ask(client, 'applications');
          assert.match(applications, /^\* .*1 records .*postgres/m);
          assert.ok(
            !applications.includes(`:${new URL(postgres.address).password}@`),
            'no password is shown',
          );
        } finally {
          await client.close();
        }
      } finally {
        rmSync(join(root, '.env'), { force: true });
        await postgres.stop();
      }
    });
  },
);
