import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { annotate, type AppRoute, exceptionEvent, Get, NotFoundError } from 'lookback';
import { controllerArguments, type ControllerContext, type ValueResolver } from 'lookback/controller';
import { AccessDeniedError, currentUser, isGranted, type SecurityUser, type Voter } from 'lookback/security';
import { createGuardedApp } from './guarded-app.js';
import { Visitor } from './visitor.js';

class Article {
  readonly author: string;
  constructor(author: string) {
    this.author = author;
  }
}

/** Loads the article for the route parameter, because the request contains only its id. */
const article: ValueResolver<Article> = {
  name: 'article',
  resolve: async (request) => new Article(request.query.get('author') ?? 'nobody'),
};

const authors: Voter = {
  name: 'authors',
  vote: ({ attribute, subject, token }) => {
    if (attribute !== 'edit') return { verdict: 'abstain' };
    assert.ok(subject instanceof Article, 'the resolved argument, not the raw value');
    const isAuthor = subject.author === token?.user.identifier;
    return { verdict: isAuthor ? 'grant' : 'deny', reason: isAuthor ? 'wrote it' : 'wrote another' };
  },
};

const route = (path: string, controller: AppRoute['controller'], more: object = {}): AppRoute => ({
  path,
  name: path.slice(1),
  controller,
  ...more,
});

@isGranted.on('IS_AUTHENTICATED')
class Newsroom {
  @Get('/news/read')
  read(): string {
    return 'read';
  }

  @isGranted.on('ROLE_ADMIN')
  @Get('/news/close')
  close(): string {
    return 'closed';
  }
}

const routes: AppRoute[] = [
  route(
    '/data',
    annotate(() => 'done', isGranted.of('ROLE_ADMIN')),
  ),
  route(
    '/edit',
    annotate((given: Article) => given.author, isGranted.of({ attribute: 'edit', subject: 'article' })),
    {
      arguments: [article],
    },
  ),
  route(
    '/hidden',
    annotate(() => 'done', isGranted.of({ attribute: 'ROLE_ADMIN', status: 404, message: 'No such page.' })),
  ),
  route(
    '/own',
    annotate(
      () => 'done',
      isGranted.of({
        attribute: ({ subject }) => subject === 'mine',
        subject: ({ request }) => request.query.get('whose'),
      }),
    ),
  ),
  route(
    '/mistaken',
    annotate(() => 'done', isGranted.of({ attribute: 'edit', subject: 'artcle' })),
    { arguments: [article] },
  ),
  route(
    '/article/{id}',
    annotate(() => 'done', isGranted.of({ attribute: ({ subject }) => subject === '7', subject: 'id' })),
  ),
  route(
    '/me',
    annotate((user: SecurityUser) => user.identifier, controllerArguments.of([currentUser()])),
  ),
  route('/wrapped', () => {
    throw new Error('something else', { cause: new AccessDeniedError('not you') });
  }),
  route('/disguised', () => {
    throw new NotFoundError('no such thing', { cause: new AccessDeniedError('not you') });
  }),
];

describe('isGranted', () => {
  const create = (): ReturnType<typeof createGuardedApp> => {
    const guarded = createGuardedApp((options) => ({ ...options, voters: [authors] }), routes);
    guarded.app.register(Newsroom);
    return guarded;
  };
  const as = async (name: string): Promise<Visitor> => {
    const visitor = new Visitor(create().app);
    if (name !== '') assert.equal((await visitor.logIn(name, name)).location, '/');
    return visitor;
  };
  const statuses = async (path: string, method = 'GET'): Promise<number[]> => {
    const found: number[] = [];
    for (const name of ['', 'reader', 'admin'])
      found.push((await (await as(name)).send(method, path)).status);
    return found;
  };

  it('K9: is declared before a controller, as data', async () => {
    assert.deepEqual(await statuses('/data'), [302, 403, 200]);
    assert.deepEqual(await statuses('/data', 'HEAD'), [302, 403, 200]);
  });

  it('K9: is checked on the resolved arguments', async () => {
    const reader = await as('reader');
    assert.equal((await reader.get('/edit?author=reader')).body, 'reader');
    assert.equal((await reader.get('/edit?author=admin')).status, 403);
    assert.equal((await (await as('')).get('/edit?author=reader')).status, 302);
  });

  it('is a decorator for classes and methods, and all of them must be satisfied', async () => {
    assert.deepEqual(await statuses('/news/read'), [302, 200, 200]);
    assert.deepEqual(await statuses('/news/close'), [302, 403, 200]);
  });

  it('answers with the requested status', async () => {
    assert.deepEqual(await statuses('/hidden'), [404, 404, 200]);
  });

  it('accepts conditions and subjects from functions, and route parameters', async () => {
    assert.deepEqual(await statuses('/own?whose=mine'), [200, 200, 200]);
    assert.deepEqual(await statuses('/own?whose=yours'), [302, 403, 403]);
    assert.deepEqual(await statuses('/article/7'), [200, 200, 200]);
    assert.deepEqual(await statuses('/article/8'), [302, 403, 403]);
  });

  it('reports a missing argument, and admits no one until it is fixed', async () => {
    assert.deepEqual(await statuses('/mistaken'), [500, 500, 500]);
    const { app } = create();
    const request = new Visitor(app).request('GET', '/mistaken');
    const errors: unknown[] = [];

    app.on(exceptionEvent, ({ error }) => void errors.push(error), { priority: 10 });
    await app.handle(request);
    assert.match(String(errors[0]), /isGranted on .* refers to the subject "artcle"/);
    assert.equal((errors[0] as { fix?: string }).fix, 'Use one of: article.');
  });

  it('reports who decided, in the log and in debug', async () => {
    const { app } = create();
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    const messages: string[] = [];
    app.on(exceptionEvent, ({ error }) => void messages.push(String(error)), { priority: 10 });
    await visitor.get('/edit?author=admin');
    assert.match(
      messages[0] ?? '',
      /^AccessDeniedError: Needs edit on "article" for \S+: authors says deny \(wrote another\)\.$/,
    );
    assert.ok(
      !(await visitor.get('/edit?author=admin')).body.includes('authors'),
      'the visitor does not see the reason',
    );
  });

  it('a controller that needs a user makes an anonymous visitor log in', async () => {
    assert.deepEqual(await statuses('/me'), [302, 200, 200]);
  });

  it('finds a denial among the causes, unless an HTTP error precedes it', async () => {
    assert.deepEqual(await statuses('/wrapped'), [302, 403, 403]);
    assert.deepEqual(await statuses('/disguised'), [404, 404, 404]);
  });

  it('can be decided in code', async () => {
    const { app, security } = createGuardedApp(
      (options) => ({ ...options, voters: [authors] }),
      [
        {
          path: '/ask',
          name: 'ask',
          controller: async ({ request }: ControllerContext) => {
            const subject = new Article('reader');
            const deny = security.denyUnlessGranted(request, 'ROLE_ADMIN').then(
              () => 'passed',
              (error: unknown) => (AccessDeniedError.is(error) ? 'denied' : 'failed'),
            );
            return [await security.isGranted(request, 'edit', subject), await deny];
          },
        },
      ],
    );
    const visitor = new Visitor(app);
    await visitor.logIn('reader', 'reader');
    assert.deepEqual(JSON.parse((await visitor.get('/ask')).body), [true, 'denied']);
  });
});

describe('voting strategies', () => {
  const refuses: Voter = {
    name: 'closed',
    vote: ({ attribute }) => ({ verdict: attribute === 'ROLE_READER' ? 'deny' : 'abstain' }),
  };
  for (const [strategy, status] of [
    ['affirmative', 200],
    ['unanimous', 403],
  ] as const)
    it(`createSecurity: one voter grants and one denies, ${strategy}: ${status}`, async () => {
      const { app } = createGuardedApp(
        (options) => ({ ...options, voters: [refuses], decisions: { strategy } }),
        [
          route(
            '/both',
            annotate(() => 'both', isGranted.of('ROLE_READER')),
          ),
        ],
      );
      const visitor = new Visitor(app);
      await visitor.logIn('reader', 'reader');
      assert.equal((await visitor.get('/both')).status, status);
      assert.equal((await visitor.get('/')).status, 200);
    });
});
