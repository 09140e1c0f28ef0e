import 'reflect-metadata';
import { Controller, Get, Module, Param } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';

class HelloController {
  hello(name) {
    return { hello: name };
  }
}
class HelloModule {}

// Decorators are applied by hand: this file runs without compilation.
Param('name')(HelloController.prototype, 'hello', 0);
Get('/hello/:name')(
  HelloController.prototype,
  'hello',
  Object.getOwnPropertyDescriptor(HelloController.prototype, 'hello'),
);
Controller()(HelloController);
Module({ controllers: [HelloController] })(HelloModule);

export async function start() {
  const app = await NestFactory.create(HelloModule, new FastifyAdapter(), { logger: false });
  await app.listen(0, '127.0.0.1');
  return { title: 'Nest on Fastify', port: app.getHttpServer().address().port };
}
