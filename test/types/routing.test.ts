import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  compileRoutes,
  createRoutes,
  defineRoutes,
  generateUrl,
  type MatchParametersOf,
  type UrlArguments,
} from 'lookback/routing';

/** Compiles only if both types are identical. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(answer: Same<A, B>): void => assert.equal(answer, true);

const definitions = defineRoutes([
  { name: 'home', path: '/' },
  { name: 'blog', path: '/blog/{slug}/{page<\\d+>?1}' },
  { name: 'archive', path: '/archive/{year<\\d{4}>}-{month<\\d{2}>}.{_format<html|json>?html}' },
  { name: 'maybe', path: '/maybe/{word?}' },
  { name: 'important', path: '/important/{!x?1}' },
  { name: 'shop', path: '/', host: '{shop}.example.org' },
  { name: 'about', path: { en: '/en/about/{who}', fr: '/fr/a-propos/{who}' } },
  { name: 'admin_users', path: '/admin/{team}/users/{id<[a-z]{1,3}>}' },
]);
type Definition<Name> = Extract<(typeof definitions)[number], { readonly name: Name }>;
const compiled = compileRoutes(createRoutes(definitions));
const url = <Name extends (typeof definitions)[number]['name']>(
  name: Name,
  ...[parameters]: UrlArguments<Definition<Name>>
): string => generateUrl(compiled, name, { ...parameters });

describe('typed routes', () => {
  it("a match has its path's variables", () => {
    same<MatchParametersOf<Definition<'blog'>>, { readonly slug: string; readonly page: string }>(true);
    same<
      MatchParametersOf<Definition<'archive'>>,
      { readonly year: string; readonly month: string; readonly _format: string }
    >(true);
    same<MatchParametersOf<Definition<'maybe'>>, { readonly word: string | null }>(true);
    same<MatchParametersOf<Definition<'shop'>>, { readonly shop: string }>(true);
    same<MatchParametersOf<Definition<'about'>>, { readonly who: string }>(true);
    same<MatchParametersOf<Definition<'admin_users'>>, { readonly team: string; readonly id: string }>(true);
  });

  it("URLs take their path's variables", () => {
    assert.equal(url('home'), '/');
    assert.equal(url('blog', { slug: 'x' }), '/blog/x');
    assert.equal(url('blog', { slug: 'x', page: 2, _query: { q: 1 } }), '/blog/x/2?q=1');
    assert.equal(url('archive', { year: 2026, month: '11' }), '/archive/2026-11');
    assert.equal(url('important'), '/important/1');
    assert.equal(url('about', { who: 'us', _locale: 'fr' }), '/fr/a-propos/us');
    assert.equal(url('admin_users', { team: 't', id: 'abc' }), '/admin/t/users/abc');
  });

  it('everything else does not compile', () => {
    const never = (): void => {
      // @ts-expect-error no such name
      url('blgo', { slug: 'x' });
      // @ts-expect-error a variable is missing
      url('blog', {});
      // @ts-expect-error all variables are missing
      url('blog');
      // @ts-expect-error one variable too many
      url('blog', { slug: 'x', pgae: 2 });
      // @ts-expect-error no value for a variable
      url('shop', { shop: {} });
      // @ts-expect-error a group's variable is missing
      url('admin_users', { id: 'abc' });
    };
    assert.equal(typeof never, 'function');
  });
});
