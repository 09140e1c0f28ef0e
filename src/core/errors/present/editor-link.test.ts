import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createEditorLinker } from './editor-link.js';

const link = (setting: string | undefined, path = '/a b/c.ts') =>
  createEditorLinker(setting)(path, 3, 5)?.href;

describe('createEditorLinker', () => {
  it('knows editors by name', () => {
    assert.equal(link('vscode'), 'vscode://file/a%20b/c.ts:3:5');
    assert.equal(link('PhpStorm'), 'phpstorm://open?file=/a%20b/c.ts&line=3&column=5');
    assert.equal(link('vscode', 'C:\\a\\b.ts'), 'vscode://file/C:/a/b.ts:3:5');
  });

  it('accepts a template and path maps', () => {
    assert.equal(link('my-editor://open?f=%f&l=%l'), 'my-editor://open?f=/a%20b/c.ts&l=3');
    assert.equal(
      link('vscode&/app>/home/me/app&/srv>/home/me/srv', '/srv/x.ts'),
      'vscode://file/home/me/srv/x.ts:3:5',
    );
    assert.equal(link('vscode&/app>/home', '/other/x.ts'), 'vscode://file/other/x.ts:3:5');
  });

  it('creates no link without a setting, for an unknown name, or for a scheme that would run in the page', () => {
    for (const setting of [
      undefined,
      '',
      'ed',
      'javascript:alert("%f")',
      'JavaScript:%f',
      'data:text/html,%f',
      '%f',
      'vscode://no-place',
    ]) {
      assert.equal(link(setting), undefined, setting);
    }
  });

  it('encodes characters that could end the URL', () => {
    assert.equal(link('vscode', '/a"><x>?#&%/b.ts'), 'vscode://file/a%22%3E%3Cx%3E%3F%23%26%25/b.ts:3:5');
    assert.equal(link('vscode', '/\ud800.ts'), 'vscode://file/%EF%BF%BD.ts:3:5');
  });
});
