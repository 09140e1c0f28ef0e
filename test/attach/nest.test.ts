import 'reflect-metadata';
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import type { Server } from 'node:http';
import { describe, it } from 'node:test';
import type { CanActivate, ExecutionContext, INestApplication } from '@nestjs/common';
import { Controller, Get, Module, Param, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { attach } from 'lookback/attach';
import { LookbackModule } from 'lookback/nest';
import { boom } from './apps/raw-answers.js';
import { ask, comparable, tokenOf, wire } from './wire.js';

class UserController {
  showUser(id: string): { id: string } {
    return { id };
  }
  fail(): never {
    return boom();
  }
}
// Decorators as functions: parameter decorators are not erasable TypeScript.
const decorate = (name: 'showUser' | 'fail', path: string): void => {
  const property = Object.getOwnPropertyDescriptor(UserController.prototype, name);
  assert.ok(property);
  Get(path)(UserController.prototype, name, property);
};
Controller('users')(UserController);
decorate('showUser', ':id');
decorate('fail', ':id/boom');
Param('id')(UserController.prototype, 'showUser', 0);

/** A guard that refuses the id 13. */
class Guard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { params } = context.switchToHttp().getRequest<{ params: { id?: string } }>();
    if (params.id === '13') throw new RangeError('thrown by a guard');
    return true;
  }
}
UseGuards(Guard)(UserController);

class Plain {}
Module({ controllers: [UserController] })(Plain);
class Watched {}
Module({ imports: [LookbackModule.forRoot({ store: 'memory:' })], controllers: [UserController] })(Watched);

class Shown {}
Module({
  imports: [LookbackModule.forRoot({ store: 'memory:', errorPage: true })],
  controllers: [UserController],
})(Shown);

for (const platform of ['express', 'fastify'] as const)
  describe(`attached to Nest on ${platform}`, () => {
    const create = async (module: typeof Plain): Promise<{ app: INestApplication; port: number }> => {
      const options = { logger: false as const };
      const app =
        platform === 'fastify'
          ? await NestFactory.create(module, new FastifyAdapter({ forceCloseConnections: true }), options)
          : await NestFactory.create(module, options);
      app.enableShutdownHooks([]);
      await app.listen(0, '127.0.0.1');
      const { port } = (app.getHttpServer() as Server).address() as AddressInfo; // it listens on a port
      return { app, port };
    };

    it('gives the same responses, and the record has route, controller and error', async () => {
      const [plain, watched] = [await create(Plain), await create(Watched)];
      try {
        for (const path of ['/users/7', '/users/7/boom', '/users/13', '/nowhere'])
          assert.equal(
            comparable(await wire(watched.port, ask('GET', path))),
            comparable(await wire(plain.port, ask('GET', path))),
          );
        const record = async (path: string): Promise<string> => {
          const token = tokenOf(await wire(watched.port, ask('GET', path)));
          return wire(watched.port, ask('GET', `/_profiler/${token}.json`));
        };
        assert.match(await record('/users/7'), /"path":"\/users\/:id".*"name":"UserController\.showUser"/);
        assert.match(await record('/users/7/boom'), /"status":500.*out of paper/);
        assert.match(await record('/users/13'), /"status":500.*thrown by a guard/);
      } finally {
        await plain.app.close();
        await watched.app.close();
      }
    });

    it("records Nest's own error responses as exceptions even without the module", async () => {
      const { app, port } = await create(Plain);
      const attached = attach(app.getHttpServer() as Server, { store: 'memory:' });
      try {
        const token = tokenOf(await wire(port, ask('GET', '/users/13')));
        assert.match(
          await wire(port, ask('GET', `/_profiler/${token}.json`)),
          /"status":500.*thrown by a guard/,
        );
      } finally {
        await attached.close();
        await app.close();
      }
    });

    it("shows the error page instead of Nest's response", async () => {
      const { app, port } = await create(Shown);
      try {
        const answer = await wire(port, ask('GET', '/users/7/boom'));
        assert.match(answer, /^HTTP\/1\.1 500 [^]*out of paper[^]*nest\.test\.ts/);
        assert.match(await wire(port, ask('GET', '/users/13')), /^HTTP\/1\.1 500 [^]*thrown by a guard/);
        assert.match(await wire(port, ask('GET', '/nowhere')), /^HTTP\/1\.1 404 /);
        assert.match(await wire(port, ask('GET', '/users/7')), /^HTTP\/1\.1 200 [^]*{"id":"7"}/);
      } finally {
        await app.close();
      }
    });
  });
