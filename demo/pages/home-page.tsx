import type { VNode } from 'preact';
import { demoToken } from '../security.js';
import type { Article } from '../database/article.js';
import { roles } from '../database/user.js';
import { text } from '../languages.js';
import type { Context } from './page.js';
import { Teasers } from './article-list.js';

interface HomeProps {
  readonly context: Context;
  readonly latest: readonly Article[];
  readonly isTranslated: (article: Article) => boolean;
  readonly isDebug: boolean;
}

/** The home page: the latest articles, what to try, and who can log in. */
export function HomePage({ context, latest, isTranslated, isDebug }: HomeProps): VNode {
  const { url, request } = context;
  return (
    <>
      <h1>{text('journal')}</h1>
      <p class="lead">{text('intro')}</p>
      {isDebug && (
        <p class="notice">
          {text('profiler')} <a href="/_profiler/">{text('openProfiler')}</a>
        </p>
      )}
      <h2>{text('latest')}</h2>
      <Teasers articles={latest} isTranslated={isTranslated} url={url} />
      <p>
        <a href={url('articles')}>{text('all')}</a>
      </p>
      <h2>{text('look')}</h2>
      <ul class="plain">
        <Link to={url('failures')} name={text('failuresHint')} />
        <Link to={url('message')} name={text('formHint')} />
        <Link to={url('slow')} name={text('slow')} />
        <Link to={url('stream')} name={text('stream')} />
        <Link to={url('start')} name={text('redirect')} />
        <Link to="/artcles" name={text('missing')} />
      </ul>
      <h2>{text('users')}</h2>
      <p>{text('usersHint')}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">{text('name')}</th>
            <th scope="col">{text('password')}</th>
            <th scope="col">{text('role')}</th>
          </tr>
        </thead>
        <tbody>
          {['reader', 'editor', 'admin'].map((name, index) => (
            <tr>
              <td>
                <code>{name}</code>
              </td>
              <td>
                <code>{name}</code>
              </td>
              <td>{text(roles[index] ?? 'ROLE_READER')}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>{text('api')}</p>
      <pre
        tabIndex={0}
      >{`curl -H 'Authorization: Bearer ${demoToken}' ${request.origin}${url('api_articles')}`}</pre>
    </>
  );
}

function Link({ to, name }: { readonly to: string; readonly name: string }): VNode {
  return (
    <li>
      <a href={to}>{name}</a>
    </li>
  );
}
