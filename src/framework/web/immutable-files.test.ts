import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { type ImmutableOptions, immutableFiles } from './immutable-files.js';

const folder = mkdtempSync(join(tmpdir(), 'lookback-manifest-'));
after(() => rmSync(folder, { recursive: true }));

function written(content: unknown): string {
  const file = join(folder, `manifest-${Math.random()}.json`);
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

describe('files that never change', () => {
  it('are none by default, whatever their names look like', () => {
    const isImmutable = immutableFiles({}, '');
    for (const name of [
      'icon-arrowLeft.svg',
      'price-list2026.pdf',
      'logo-1920x1080.png',
      'app.3f2a9c1b.js',
      'assets/index-DiwrgTda.css',
    ])
      assert.equal(isImmutable(`/${name}`), false, name);
  });

  it('are those below a named folder, with and without slashes', () => {
    for (const named of ['assets', '/assets', '/assets/', 'assets/']) {
      const isImmutable = immutableFiles({ immutable: named }, '');
      assert.equal(isImmutable('/assets/a.css'), true, named);
      assert.equal(isImmutable('/assets/deep/a.css'), true, named);
      for (const other of ['/assets', '/assets.css', '/assetsX/a.css', '/a/assets/a.css', '/Assets/a.css'])
        assert.equal(isImmutable(other), false, `${named} ${other}`);
    }
  });

  it('are those matching a pattern, one of several, or a function', () => {
    const hashed = /\.[0-9a-f]{8}\.(?:js|css)$/g;
    const isImmutable = immutableFiles({ immutable: [hashed, '/fonts'] }, '');
    for (let round = 0; round < 3; round++) assert.equal(isImmutable('/app.3f2a9c1b.js'), true);
    assert.equal(isImmutable('/fonts/a.woff2'), true);
    assert.equal(isImmutable('/app.js'), false);
    assert.equal(immutableFiles({ immutable: (path) => path === '/x' }, '')('/x'), true);
  });

  it('refuse anything but a folder below the served one, a pattern, and a function', () => {
    for (const immutable of ['', '/', '../x', '/a/..', './x', true, 1, [''], [null], {}])
      assert.throws(() => immutableFiles({ immutable } as ImmutableOptions, ''), {
        // JavaScript callers may pass it
        code: 'WEB_BAD_OPTION',
      });
  });

  it("are those with a hash in Vite's manifest", () => {
    const manifest = written({
      'src/main.ts': {
        file: 'assets/main-DiwrgTda.js',
        name: 'main',
        src: 'src/main.ts',
        isEntry: true,
        imports: ['_shared-B7PI925R.js'],
        css: ['assets/main-5UjPuW-k.css'],
        assets: ['assets/asset-0ab0f9cd.png'],
      },
      '_shared-B7PI925R.js': {
        file: 'assets/shared-B7PI925R.js',
        name: 'shared',
        css: ['assets/shared-DiOdy2cU.css'],
      },
      '_shared-DiOdy2cU.css': { file: 'assets/shared-DiOdy2cU.css', src: '_shared-DiOdy2cU.css' },
      'src/my-component.tsx': { file: 'assets/my-component.js' },
      'public/icon-arrowLeft.svg': { file: 'assets/icon-arrowLeft.svg', src: 'public/icon-arrowLeft.svg' },
    });
    const isImmutable = immutableFiles({ manifest, immutable: '/fonts' }, '');
    for (const name of [
      'main-DiwrgTda.js',
      'main-5UjPuW-k.css',
      'asset-0ab0f9cd.png',
      'shared-B7PI925R.js',
      'shared-DiOdy2cU.css',
    ])
      assert.equal(isImmutable(`/assets/${name}`), true, name);
    for (const name of ['my-component.js', 'icon-arrowLeft.svg', 'main-DiwrgTdb.js', 'price-list2026.pdf'])
      assert.equal(isImmutable(`/assets/${name}`), false, name);
    assert.equal(isImmutable('/main-DiwrgTda.js'), false);
    assert.equal(isImmutable('/fonts/a.woff2'), true);
  });

  it("are those with a hash in webpack's manifest, whose paths begin with the folder's", () => {
    const manifest = written({
      'main.js': '/static/main.8d3f1a2b3c4d5e6f.js',
      'page-list2026.js': '/static/page-list2026.js',
      'runtime.js': './runtime.0123456789ab.js',
    });
    const isImmutable = immutableFiles({ manifest }, '/static');
    assert.equal(isImmutable('/main.8d3f1a2b3c4d5e6f.js'), true);
    assert.equal(isImmutable('/runtime.0123456789ab.js'), true);
    assert.equal(isImmutable('/page-list2026.js'), false);
  });

  it('exclude source maps and other files next to a hashed one, even if a manifest lists them', () => {
    const names = [
      'index-DiwrgTda.css.map',
      'index-DiwrgTda.js.LICENSE.txt',
      'index-DiwrgTda',
      'index-DiwrgTda.',
    ];
    const isImmutable = immutableFiles({ manifest: written(['index-DiwrgTda.css', ...names]) }, '');
    assert.equal(isImmutable('/index-DiwrgTda.css'), true);
    for (const name of names) assert.equal(isImmutable(`/${name}`), false, name);
  });

  it('name a manifest that is missing or invalid JSON in the error', () => {
    for (const manifest of [join(folder, 'nowhere.json'), written('no JSON')])
      assert.throws(() => immutableFiles({ manifest }, ''), {
        code: 'WEB_MANIFEST_UNREADABLE',
        message: new RegExp(manifest.replaceAll('.', '\\.')),
      });
  });
});
