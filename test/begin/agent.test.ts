import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';

const cli = resolve('dist/bundle/cli.js');
const folder = mkdtempSync(join(tmpdir(), 'lookback-agent-'));
after(() => rmSync(folder, { recursive: true, force: true }));

function init(): { code: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'agent', 'init'], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { code: status, out: stdout, err: stderr };
}

function read(path: string): string {
  return readFileSync(join(folder, path), 'utf8');
}

describe('lookback agent init', () => {
  it('adds the server to existing files without losing anything, and creates the others', () => {
    mkdirSync(join(folder, '.vscode'));
    mkdirSync(join(folder, '.codex'));
    writeFileSync(
      join(folder, '.mcp.json'),
      '{\n\t"other": 1,\n\t"mcpServers": { "db": { "command": "db" } }\n}\n',
    );
    writeFileSync(join(folder, '.vscode/mcp.json'), '{ "inputs": [], "servers": {} }');
    writeFileSync(join(folder, '.codex/config.toml'), 'model = "x"\n\n[mcp_servers.db]\ncommand = "db"');
    writeFileSync(join(folder, 'AGENTS.md'), '# Ours\n\nOur words.\n');
    const { code, out } = init();
    assert.equal(code, 0, out);
    const claude = JSON.parse(read('.mcp.json')) as Record<string, Record<string, unknown>>; // as written above
    assert.deepEqual([claude['other'], Object.keys(claude['mcpServers'] ?? {})], [1, ['db', 'lookback']]);
    assert.match(read('.mcp.json'), /^\{\n\t"other"/);
    const editor = JSON.parse(read('.vscode/mcp.json')) as {
      inputs: [];
      servers: Record<string, { type: string }>;
    }; // the same
    assert.deepEqual([editor.inputs, editor.servers['lookback']?.type], [[], 'stdio']);
    assert.match(read('.cursor/mcp.json'), /"mcpServers": \{\n    "lookback": \{\n      "command": "npx"/);
    assert.match(
      read('.codex/config.toml'),
      /^model = "x"\n\n\[mcp_servers\.db\]\ncommand = "db"\n\n\[mcp_servers\.lookback\]\n/,
    );
    assert.match(
      read('AGENTS.md'),
      /^# Ours\n\nOur words\.\n\n<!-- lookback: begin -->\n[^]*<!-- lookback: end -->\n$/,
    );
    assert.ok(read('AGENTS.md').split('\n').length <= 20);
  });

  it('changes nothing the second time, and replaces only its own section', () => {
    const files = ['.mcp.json', '.vscode/mcp.json', '.codex/config.toml', 'AGENTS.md'];
    const before = files.map(read);
    assert.match(init().out, /^unchanged \.mcp\.json\n(?:unchanged .*\n){4}$/);
    assert.deepEqual(files.map(read), before);
    writeFileSync(
      join(folder, 'AGENTS.md'),
      read('AGENTS.md').replace('do not guess', 'older words') + '\nAfter.\n',
    );
    init();
    assert.match(read('AGENTS.md'), /do not guess[^]*<!-- lookback: end -->\n\nAfter\.\n$/);
  });

  it('leaves a file with comments unchanged, and says what to add', () => {
    writeFileSync(join(folder, '.mcp.json'), '// ours\n{}\n');
    const { code, err } = init();
    assert.equal(code, 1);
    assert.match(
      err,
      /^\.mcp\.json was left unchanged: it is not plain JSON\. Add the server "lookback": \{/,
    );
    assert.equal(read('.mcp.json'), '// ours\n{}\n');
  });
});
