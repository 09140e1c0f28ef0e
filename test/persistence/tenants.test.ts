import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { EntitySchema, MikroORM } from '@mikro-orm/libsql';
import { type App, type Around, createApp } from 'lookback';
import { readForm } from 'lookback/controller';
import { createPersistence, type Persistence, withBehaviours } from 'lookback/persistence';
import { z } from 'zod';
import { createTables } from './create-tables.js';

interface Member {
  id: number;
  name: string;
  role: string;
  tenant: number;
}
const MemberSchema = new EntitySchema<Member>({
  name: 'Member',
  properties: {
    id: { type: 'integer', primary: true },
    name: { type: 'string' },
    role: { type: 'string' },
    tenant: { type: 'integer' },
  },
  filters: {
    tenant: { name: 'tenant', cond: ({ tenant }: { tenant: number }) => ({ tenant }), default: true },
  },
});
const tenants = [0, 1, 2, 3];

describe('a filter with a parameter that a layer sets for each request', () => {
  let persistence: Persistence;
  let app: App;
  const background: Promise<unknown>[] = [];
  before(async () => {
    const orm = await MikroORM.init(withBehaviours({ dbName: ':memory:', entities: [MemberSchema] }));
    await createTables(orm);
    persistence = createPersistence({ orm });
    const em = persistence.forActor({});
    for (let id = 1; id <= 20; id++)
      em.create('Member', { id, name: `m${id}`, role: 'user', tenant: id % tenants.length });
    await em.flush();
    const ofTenant: Around = async (request, next) => {
      const tenant = request.headers.get('x-tenant');
      if (tenant !== undefined)
        persistence.entityManager(request).setFilterParams('tenant', { tenant: Number(tenant) });
      return next();
    };
    app = createApp({ persistence, around: [ofTenant], logHandlers: [] });
    app.get('/members', async ({ request }) => {
      const own = persistence.entityManager(request);
      const first = await own.find<Member>('Member', {});
      await new Promise((done) => setImmediate(done)); // lets the other requests run in between
      const second = await own.find<Member>('Member', {});
      return [...new Set([...first, ...second].map(({ tenant }) => tenant))];
    });
    app.get('/later', ({ request }) => {
      const isAnswered = new Promise((done) => setImmediate(done));
      background.push(isAnswered.then(() => persistence.current().find<Member>('Member', {})));
      return request.headers.get('x-tenant') ?? '';
    });
    app.post('/members/{id<\\d+>}', async ({ request, params }) => {
      const own = persistence.entityManager(request);
      const member = await own.findOneOrFail<Member>('Member', { id: Number(params.id) });
      const form = await readForm(request, z.object({ name: z.string() }));
      if (form.data !== undefined) own.assign(member, form.data);
      await own.flush();
      return { ...member };
    });
  });
  after(() => persistence.orm.close());

  it('shows 100 concurrent requests from four tenants only their own rows', async () => {
    const asked = Array.from({ length: 100 }, (_, at) => at % tenants.length);
    const seen = await Promise.all(
      asked.map(async (tenant) =>
        (await app.fetch('/members', { headers: { 'X-Tenant': String(tenant) } })).json(),
      ),
    );
    assert.deepEqual(
      seen,
      asked.map((tenant) => [tenant]),
    );
  });

  it('refuses queries from a request without a tenant', async () => {
    assert.equal((await app.fetch('/members')).status, 500);
  });

  it('never shows rows of another tenant to work that continues after the response', async () => {
    for (const tenant of tenants)
      assert.equal((await app.fetch('/later', { headers: { 'X-Tenant': String(tenant) } })).status, 200);
    const ends = await Promise.allSettled(background);
    assert.equal(ends.length, tenants.length);
    for (const [tenant, end] of ends.entries()) {
      if (end.status === 'rejected') assert.match(String(end.reason), /filter 'tenant'/);
      else assert.ok((end.value as Member[]).every((member) => member.tenant === tenant)); // find() returned it
    }
  });

  it("writes only the schema's fields to an entity, whatever else the form has", async () => {
    const response = await app.fetch('/members/4', {
      method: 'POST',
      headers: { 'X-Tenant': '0', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'name=eve&role=admin&tenant=3&id=99',
    });
    assert.deepEqual(await response.json(), { id: 4, name: 'eve', role: 'user', tenant: 0 });
  });

  for (const field of ['__proto__[role]', 'constructor[prototype][role]', 'a[__proto__][role]']) {
    it(`answers a form with the field ${field} with 400, and changes nothing`, async () => {
      const response = await app.fetch('/members/8', {
        method: 'POST',
        headers: { 'X-Tenant': '0', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: `name=eve&${field}=admin`,
      });
      assert.equal(response.status, 400);
      assert.equal(Reflect.get({}, 'role'), undefined);
      const kept = await persistence
        .forActor({})
        .findOneOrFail<Member>('Member', { id: 8 }, { filters: false });
      assert.equal(kept.name, 'm8');
    });
  }
});
